import { formatLength, formatTime } from "./clock.js";
import { lengthOf } from "./interval.js";

const line = (slot, text) => `${formatTime(slot.start)}-${formatTime(slot.end)}  ${text}`;

/** The day plan of a room, one booking a line. */
export function dayPlan(calendar) {
  if (calendar.bookings.length === 0) return "Free all day";
  return calendar.bookings.map((booking) => line(booking, booking.title)).join("\n");
}

/** The longest free stretch of the day, in words. */
export function longestBreak(calendar) {
  const slots = calendar.freeSlots();
  if (slots.length === 0) return "fully booked";
  const longest = slots.reduce((best, slot) => (lengthOf(slot) > lengthOf(best) ? slot : best));
  return `${formatTime(longest.start)}, ${formatLength(lengthOf(longest))}`;
}
