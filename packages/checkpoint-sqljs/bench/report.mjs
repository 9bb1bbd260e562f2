const MS = (value) => (Number.isFinite(value) ? (value < 10 ? value.toFixed(2) : value.toFixed(0)) : "-");
const BYTES = (value) =>
  !Number.isFinite(value)
    ? "-"
    : value >= 1e6
      ? `${(value / 1e6).toFixed(2)} MB`
      : `${(value / 1e3).toFixed(0)} kB`;

/** docs/benchmarks/checkpoint.md from the results of one run. */
export const report = (results, machine) => {
  const lines = [
    "# Checkpointers",
    "",
    `Written by \`npm run bench -w @fiveseam/checkpoint-sqljs\` on ${machine.date}: ${machine.cpu}, Node ${machine.node},`,
    `@langchain/langgraph ${machine.langgraph}${machine.hasSqlite ? ", better-sqlite3 12" : "; SqliteSaver could not be built here"}. Every row is a process of its own, those that the goals compare the median of five. A turn is a model step`,
    "and its tool step, by `createAgent` of langchain with a scripted model; LangGraph's own durability is its default,",
    '"async". "none" is the graph without a checkpointer. Bytes written are what the process handed to the system. "Open" is',
    "loading the file beyond sql.js; getTuple and list are mostly LangGraph's deserializer, the same for all. The machine is",
    "shared with other work, so times of two rows differ by some tens of percent for no reason of theirs.",
    "",
  ];
  for (const [workload, rows] of Object.entries(results)) {
    lines.push(
      `## ${workload}`,
      "",
      "| | ms a turn | first tenth | last tenth | on disk | written | peak memory | open | getTuple | again | list 100 |",
      "|---|---|---|---|---|---|---|---|---|---|---|",
    );
    for (const [saver, row] of Object.entries(rows)) {
      const read = row.read ?? {};
      const disk = saver.startsWith("Sql") ? [BYTES(row.disk), BYTES(row.written)] : ["-", "-"];
      lines.push(
        `| ${saver} | ${[MS(row.msPerTurn), MS(row.firstMs), MS(row.lastMs), ...disk, BYTES(row.peakBytes), MS(read.openMs), MS(read.tupleMs), MS(read.tupleAgainMs), MS(read.listMs)].join(" | ")} |`,
      );
    }
    lines.push("");
  }
  lines.push("## Goals", "", ...goals(results), "", ...NOTES, "");
  return lines.join("\n");
};

const NOTES = [
  "Turn times in the first and last tenth are from one model call to the next. LangGraph's puts run behind, one after the",
  'other, each with its fsync; what is left of them at the end is in "ms a turn" only. In invokes of one turn that is most',
  "of it: each waits for its own puts, and begins with reading the whole history through LangGraph's deserializer, which",
  "costs every checkpointer on a disk the same. SqliteSaver does not sync its commits",
  "(better-sqlite3 is built with `synchronous = NORMAL` for WAL). Opening reads the snapshot through SQLite, verifies its",
  "checksum and replays the journal: about 0.3 s of processor time for 1,000 turns in a fresh process, collecting garbage included; on a busy",
  "machine the clock shows more. What a turn adds grows by about a microsecond a message of the history and put: each put",
  "looks whether the messages that are stored already are still the same ones.",
];

const goals = (results) => {
  const ours = "SqlJsSaver grouped";
  const lines = ["| goal | limit | measured | |", "|---|---|---|---|"];
  const goal = (name, limit, value, text) =>
    lines.push(`| ${name} | ${text(limit)} | ${text(value)} | ${value <= limit ? "met" : "**missed**"} |`);
  const percent = (value) => `${(value * 100).toFixed(2)} %`;
  const times = (value) => `${value.toFixed(2)} times`;
  const four = results["400 turns"];
  if (four?.SqliteSaver) {
    const added = (saver) => four[saver].msPerTurn - four.none.msPerTurn;
    goal(
      "400 turns: bytes on disk, of SqliteSaver's",
      0.01,
      four[ours].disk / four.SqliteSaver.disk,
      percent,
    );
    goal(
      "400 turns: ms a turn added, of what SqliteSaver adds",
      0.4,
      added(ours) / added("SqliteSaver"),
      times,
    );
  }
  if (four)
    goal("400 turns: bytes written, of the final size", 5, four[ours].written / four[ours].disk, times);
  const thousand = results["1,000 turns"];
  if (thousand) {
    const added = (part) => thousand[ours][part] - thousand.none[part];
    goal(
      "1,000 turns: ms added in the last tenth, of those in the first",
      1.3,
      added("lastMs") / added("firstMs"),
      times,
    );
    goal(
      "1,000 turns: open and read the file beyond loading sql.js",
      300,
      thousand[ours].read.loadMs,
      (value) => `${value.toFixed(0)} ms`,
    );
  }
  const large = results["120 turns of 500 kB"]?.[ours];
  if (large)
    goal(
      "60 MB in one thread: memory to open and read the file, of its size",
      3,
      large.read.loadBytes / large.disk,
      times,
    );
  return lines;
};
