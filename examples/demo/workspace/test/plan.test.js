import assert from "node:assert/strict";
import { test } from "node:test";
import { Calendar } from "../src/calendar.js";
import { dayPlan, longestBreak } from "../src/plan.js";

test("an empty day says so", () => {
  assert.equal(dayPlan(new Calendar()), "Free all day");
});

test("the plan lists bookings by time", () => {
  const room = new Calendar();
  room.book("Review", "15:00", "16:00");
  room.book("Standup", "09:00", "09:30");
  assert.equal(dayPlan(room), "09:00-09:30  Standup\n15:00-16:00  Review");
});

test("back-to-back meetings leave one long break", () => {
  const room = new Calendar();
  room.book("Planning", "08:00", "09:30");
  room.book("Design", "09:30", "11:00");
  assert.equal(longestBreak(room), "11:00, 7 h");
});
