const PUNCTUATION = /[^\p{L}\p{N}]/gu;

/** An id as long as this is no accident inside another one. */
const LONG_KEY = 20;

/** And one that was cut off still has so much of it. */
const CUT_KEY = 16;

/**
 * What two spellings of one call's id have in common. Clients rewrite ids for the formats of other APIs: OpenClaw drops the
 * underscore of `call_…`, others change the case or put a hyphen in. An id without a letter or digit stands for itself.
 */
export function callKey(callId: string): string {
  const key = callId.replaceAll(PUNCTUATION, "").toLowerCase();
  return key === "" ? callId : key;
}

/**
 * Does an id that a client sends mean the call that we gave this id? Some clients also put words before or behind it, as
 * Droid does (`call_<id>_0`), and some cut it off.
 */
export function meansCall(sent: string, callId: string): boolean {
  const [given, ours] = [callKey(sent), callKey(callId)];
  if (given === ours) return true;
  return (ours.length >= LONG_KEY && given.includes(ours)) || (given.length >= CUT_KEY && ours.startsWith(given));
}
