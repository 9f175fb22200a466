// What the client's module shows. Of texts from the background, the client draws only those above the prompt as
// Markdown; those of a line or two stay in the conversation, where it draws a line break as another character.
let report = "";
// What begins something in Markdown, at the start of a line or anywhere; an address is left as it is, to be clicked.
const ACTS = /https:\/\/[\w./#-]*\w|^[ \t]*(?:[-+=]|\d+[.)])|[\\`*_[\]<>|~&#$]/gm;

export const oneLine = text => text.trim().replace(/\s*\n\s*/g, " · ");
// A plain text as the Markdown that shows it as it is.
export const asMarkdown = text =>
  text.replace(ACTS, found => found.startsWith("https:") ? found : `${found.slice(0, -1)}\\${found.slice(-1)}`);
export const setReport = (text, plain) => text && (report = plain ? asMarkdown(text) : text);
// Gives whether there was one to take away.
export const dropReport = () => { const had = report !== ""; report = ""; return had; };
export const wholeText = ({ show, page }) => [show, page].filter(part => part).join("\n\n");

// The order that an error leads to; where this client lacks a call, the skill's text goes on.
export function afterError(error, { ask, start = [] } = {}, fallback = []) {
  if (error.name !== "TypeError") return { show: error.message, skill: [], exit: { exitCode: 1 } };
  const about = (ask ?? start[0])?.about ?? "";
  const skill = about.startsWith("pr-") ? ["resolve-pr-feedback", about.slice(3)] : ["implement", about];
  const show = `this client has no such call: ${error.message}; update baton or the client`;
  return { show, skill: about ? skill : fallback, exit: { exitCode: 1 } };
}

export function showReport(on) {
  on("ui.render", { component: "AbovePrompt" }, ($, e, next) =>
    report && !e.props.hasSurvey ? $.ui.resolve(e).Markdown({ text: report }) : next(e));

  // It stays until the next prompt. A command of ours raises none, and takes it away itself: a second hook on
  // `command.run` hides the command's words from the conversation (2.1.330).
  on("prompt.submit", ($, e, next) => {
    if (dropReport()) $.ui.invalidate("ui.render");
    return next(e);
  });
}
