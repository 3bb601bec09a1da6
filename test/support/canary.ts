/** Every way in which a value could be written down. */
export function formsOf(value: string): readonly string[] {
  const bytes = Buffer.from(value);
  return [
    value,
    encodeURIComponent(value),
    JSON.stringify(value).slice(1, -1),
    bytes.toString('base64').replace(/=+$/, ''),
    bytes.toString('base64url'),
    bytes.toString('hex'),
    // Inside a longer base64 text a value starts at any of three places.
    Buffer.from(`x${value}`).toString('base64').slice(4, -4),
    Buffer.from(`xx${value}`).toString('base64').slice(4, -4),
  ];
}
