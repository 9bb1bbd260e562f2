const MINUTES_PER_HOUR = 60;

/** "09:30" as minutes since midnight. */
export function parseTime(text) {
  const match = /^(\d{1,2}):(\d{2})$/.exec(text);
  if (!match) throw new TypeError(`Not a time of day: ${text}`);
  const hours = Number(match[1]);
  const minutes = Number(match[2]);
  if (hours > 24 || minutes >= MINUTES_PER_HOUR) throw new RangeError(`Out of range: ${text}`);
  return hours * MINUTES_PER_HOUR + minutes;
}

/** Minutes since midnight as "09:30". */
export function formatTime(minutes) {
  const hours = Math.floor(minutes / MINUTES_PER_HOUR);
  const rest = minutes % MINUTES_PER_HOUR;
  return `${String(hours).padStart(2, "0")}:${String(rest).padStart(2, "0")}`;
}

/** A length in words: "1 h 30 min". */
export function formatLength(minutes) {
  const hours = Math.floor(minutes / MINUTES_PER_HOUR);
  const rest = minutes % MINUTES_PER_HOUR;
  if (hours === 0) return `${rest} min`;
  return rest === 0 ? `${hours} h` : `${hours} h ${rest} min`;
}
