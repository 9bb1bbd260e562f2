import { gaps, interval, lengthOf, overlaps } from "./interval.js";

const OPENING_HOURS = interval("08:00", "18:00");

export class ConflictError extends Error {
  constructor(booking, other) {
    super(`"${booking.title}" conflicts with "${other.title}"`);
    this.name = "ConflictError";
    this.other = other;
  }
}

/** The bookings of one room on one day. */
export class Calendar {
  #bookings = [];

  /** Adds a booking and returns it, or throws a ConflictError. */
  book(title, from, to) {
    const booking = { title, ...interval(from, to) };
    const other = this.#bookings.find((existing) => overlaps(booking, existing));
    if (other) throw new ConflictError(booking, other);
    this.#bookings.push(booking);
    return booking;
  }

  cancel(title) {
    const before = this.#bookings.length;
    this.#bookings = this.#bookings.filter((booking) => booking.title !== title);
    return this.#bookings.length < before;
  }

  get bookings() {
    return [...this.#bookings].sort((a, b) => a.start - b.start);
  }

  /** Free stretches within opening hours that last at least so many minutes. */
  freeSlots(minimumMinutes = 15) {
    return gaps(OPENING_HOURS, this.bookings).filter((slot) => lengthOf(slot) >= minimumMinutes);
  }
}
