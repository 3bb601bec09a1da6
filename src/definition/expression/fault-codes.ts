/** Code of a fault whose text is our own: it came from an own function. */
export const REFUSED = 'pawl_refused';
