import { dataOf } from "./call-outcome.ts";
import type { ArgsOf } from "./exec-reply.ts";
import type { NativeExec } from "./native-operation.ts";

export const fetchExec: NativeExec<ArgsOf<"fetchArgs">> = {
  hasEffect: false,
  toCall: ({ url }) => ({ name: "web_fetch", input: { url }, exact: {} }),
  toResults({ url }, result) {
    const page = dataOf(result, "page");
    const failed = { case: "error", value: { url, error: result.text } } as const;
    return [{ case: "fetchResult", value: { result: page === undefined ? failed : success(url, page) } }];
  },
};

interface FetchedPage {
  readonly text: string;
  readonly isCut: boolean;
  readonly status: number;
  readonly contentType: string;
}

/** The protocol has no other place to say that a page was cut. */
function success(url: string, { text, isCut, status, contentType }: FetchedPage) {
  const content = isCut ? `${text}\n\n[The rest was left out: it is too long.]` : text;
  return { case: "success", value: { url, content, statusCode: status, contentType } } as const;
}
