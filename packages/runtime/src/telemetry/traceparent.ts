/** A position in a trace, as defined by W3C Trace Context. */
export interface TraceParent {
  /** 32 hexadecimal digits. */
  readonly traceId: string;
  /** 16 hexadecimal digits. */
  readonly spanId: string;
  readonly isSampled: boolean;
}

const VERSION_00 = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/;
/** Later versions can append fields. */
const LATER = /^(?!00|ff)[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(?:-.*)?$/;
const SAMPLED = 1;

/** Undefined for anything the standard calls invalid: such a header is ignored. */
export function parseTraceparent(header: string): TraceParent | undefined {
  const [, traceId = "", spanId = "", flags = ""] = VERSION_00.exec(header) ?? LATER.exec(header) ?? [];
  if (isNothing(traceId) || isNothing(spanId)) return undefined;
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & SAMPLED) === SAMPLED };
}

export function formatTraceparent({ traceId, spanId, isSampled }: TraceParent): string {
  return `00-${traceId}-${spanId}-${isSampled ? "01" : "00"}`;
}

function isNothing(id: string): boolean {
  return /^0*$/.test(id);
}
