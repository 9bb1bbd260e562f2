import assert from "node:assert/strict";
import { test } from "node:test";
import { Calendar, ConflictError } from "../src/calendar.js";
import { formatTime } from "../src/clock.js";

const times = (slots) => slots.map(({ start, end }) => `${formatTime(start)}-${formatTime(end)}`);

test("a room is free all day at first", () => {
  assert.deepEqual(times(new Calendar().freeSlots()), ["08:00-18:00"]);
});

test("two bookings at the same time conflict", () => {
  const room = new Calendar();
  room.book("Standup", "09:00", "09:30");
  assert.throws(() => room.book("Interview", "09:15", "10:00"), ConflictError);
});

test("a booking inside another one conflicts", () => {
  const room = new Calendar();
  room.book("Workshop", "13:00", "17:00");
  assert.throws(() => room.book("Call", "14:00", "14:30"), /conflicts with "Workshop"/);
});

test("a booking may start when the one before ends", () => {
  const room = new Calendar();
  room.book("Standup", "09:00", "09:30");
  room.book("Planning", "09:30", "11:00");
  assert.deepEqual(
    room.bookings.map((booking) => booking.title),
    ["Standup", "Planning"],
  );
});

test("a cancelled booking frees its time", () => {
  const room = new Calendar();
  room.book("Standup", "09:00", "09:30");
  assert.equal(room.cancel("Standup"), true);
  assert.equal(room.cancel("Standup"), false);
  assert.deepEqual(times(room.freeSlots()), ["08:00-18:00"]);
});

test("free slots lie between the bookings", () => {
  const room = new Calendar();
  room.book("Lunch talk", "12:00", "13:00");
  room.book("Standup", "09:00", "09:30");
  assert.deepEqual(times(room.freeSlots()), ["08:00-09:00", "09:30-12:00", "13:00-18:00"]);
});

test("short gaps are left out", () => {
  const room = new Calendar();
  room.book("One", "08:00", "12:00");
  room.book("Two", "12:10", "18:00");
  assert.deepEqual(times(room.freeSlots()), []);
});
