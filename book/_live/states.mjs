// What the Python of a page goes through, in one table: each state, how long it may last, what may happen in it, and the words
// for every end. python.mjs lives by it, and a test walks it without a browser (tests/book/test_book_states.py).
// Another page that needs Python takes `python` of python.mjs: run([{ code, name }], show) starts it, or says why it cannot.
export const PATIENCE = 20_000; // milliseconds without a byte, after which a connection counts as broken
const OBEYS = 1_000; // milliseconds; code that has not ended by then hears no Stop, and its Python is ended
const LONGEST = 10; // minutes that a page computes

// What ends a state: what happened, and how to go on. Each may come at any time, and Python is gone then.
export const ENDS = {
  silent: () => "The server does not answer. Run again to go on.",
  cut: ({ where, ruled }) => `The connection broke ${where}${ruled ? ", or the rules of this site (its Content-Security-Policy) refuse the file" : ""}. Run again to go on.`,
  away: () => "There is no network, and not all of Python is kept here. Run again when there is one; “Without a network” keeps it ahead.",
  absent: ({ file, status }) => `The server has no ${file} (${status}). Run again to ask once more.`,
  damaged: ({ file }) => `${file} came damaged. Run again to fetch it anew.`,
  refused: ({ what }) => `The rules of this site (its Content-Security-Policy) refuse ${what}. Run again when its publisher has set the header that README names.`,
  unable: ({ text }) => `Python did not start: ${text}. Run again to start it anew.`,
  slow: () => `Python did not start: two minutes were not enough. Run again to start it anew.`,
  fatal: ({ text }) => `Stopped: Python broke down (${text}). Run again to start it anew.`,
  endless: () => `Stopped after ${LONGEST} minutes, the longest that a page computes. Run again to start Python anew.`,
  stopped: () => "Stopped. The next run starts Python anew.",
};

// limit: milliseconds until what is `late` in it happens, counted anew with each event that leads into it.
export const STATES = {
  off: { on: { begin: "asking" } },
  asking: { limit: PATIENCE, late: "silent", on: { here: "loading" } },
  loading: { limit: 3 * PATIENCE, late: "silent", on: { bytes: "loading", whole: "starting", ready: "ready" } },
  starting: { limit: 6 * PATIENCE, late: "slow", on: { ready: "ready" } },
  ready: { on: { work: "running" } },
  running: { limit: LONGEST * 60_000, late: "endless", on: { fetch: "fetching", done: "ready", stop: "stopping" } },
  fetching: { limit: 3 * PATIENCE, late: "silent", on: { bytes: "fetching", compute: "running", done: "ready", stop: "stopping" } },
  stopping: { limit: OBEYS, late: "stopped", on: { done: "ready" } },
};

// The state that follows; null where an event comes too late to change anything.
export function next(state, event) {
  if (event in ENDS) return state === "off" ? null : "off";
  return STATES[state].on[event] ?? null;
}
