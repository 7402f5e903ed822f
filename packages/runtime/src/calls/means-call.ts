const PUNCTUATION = /[^\p{L}\p{N}]/gu;

/** An id this long does not occur inside another one by accident. */
const LONG_KEY = 20;

/** Minimum length of an id that was cut off. */
const CUT_KEY = 16;

/**
 * What two spellings of one call's id have in common. Clients rewrite ids for the formats of other APIs: OpenClaw drops the underscore of
 * `call_…`, others change the case or insert a hyphen. An id without letters or digits is kept as is.
 */
export function callKey(callId: string): string {
  const key = callId.replaceAll(PUNCTUATION, "").toLowerCase();
  return key === "" ? callId : key;
}

/**
 * Whether an id sent by a client refers to the call that we gave this id. Some clients also add words before or after it, as Droid does
 * (`call_<id>_0`), and some cut it off.
 */
export function meansCall(sent: string, callId: string): boolean {
  const [given, ours] = [callKey(sent), callKey(callId)];
  if (given === ours) return true;
  return (ours.length >= LONG_KEY && given.includes(ours)) || (given.length >= CUT_KEY && ours.startsWith(given));
}
