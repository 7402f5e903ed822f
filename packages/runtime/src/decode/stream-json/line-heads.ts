/** How a line begins that is a piece of the answer, or repeats it. */
export const TEXT_HEAD = '{"type":"assistant","message":{"role":"assistant","content":[{"type":"text","text":"';
export const THINKING_HEAD = '{"type":"thinking","subtype":"delta","text":"';
export const RESULT_HEAD = '{"type":"result",';
/** How the line begins that repeats the prompt. */
export const ECHO_HEAD = '{"type":"user",';
