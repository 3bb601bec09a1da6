/** Share of `remembers` within which a resend may still leave (rule E06). */
export const REMEMBERED_SHARE = 0.9;
