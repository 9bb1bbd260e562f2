import assert from "node:assert/strict";
import { test } from "node:test";
import { formatLength, formatTime, parseTime } from "../src/clock.js";

test("a time of day is read as minutes since midnight", () => {
  assert.equal(parseTime("00:00"), 0);
  assert.equal(parseTime("09:30"), 570);
  assert.equal(parseTime("24:00"), 1440);
});

test("nonsense is refused", () => {
  assert.throws(() => parseTime("half past nine"), TypeError);
  assert.throws(() => parseTime("09:75"), RangeError);
});

test("a time of day is written with two digits", () => {
  assert.equal(formatTime(65), "01:05");
});

test("a length is written in hours and minutes", () => {
  assert.equal(formatLength(45), "45 min");
  assert.equal(formatLength(120), "2 h");
  assert.equal(formatLength(95), "1 h 35 min");
});
