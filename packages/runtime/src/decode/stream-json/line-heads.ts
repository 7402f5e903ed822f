/** Start of a line that is part of the answer, or repeats it. */
export const TEXT_HEAD = '{"type":"assistant","message":{"role":"assistant","content":[{"type":"text","text":"';
export const THINKING_HEAD = '{"type":"thinking","subtype":"delta","text":"';
export const RESULT_HEAD = '{"type":"result",';
/** Start of the line that repeats the prompt. */
export const ECHO_HEAD = '{"type":"user",';
