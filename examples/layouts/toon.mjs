// JSON, or JSON lines, on stdin; TOON on stdout: a peer for `recto eval --layouts` (see README.md beside this file).
// One JSON value a line becomes an array of the values, as TOON has no form for lines.
import { readFileSync } from "node:fs";
import { encode } from "@toon-format/toon";

const text = readFileSync(0, "utf8").replace(/^\uFEFF/, "");
let value;
try {
  value = JSON.parse(text);
} catch {
  value = text.split("\n").filter((line) => line.trim() !== "").map((line) => JSON.parse(line));
}
const delimiter = process.argv[2] === "tab" ? "\t" : ",";
process.stdout.write(encode(value, { delimiter }));
