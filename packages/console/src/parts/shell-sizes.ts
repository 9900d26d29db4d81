/** Of the bar at the top of each page, in pixels. */
export const headerHeight = 56
