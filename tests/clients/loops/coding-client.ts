import type { ClientPackage } from "./client-package.ts";
import type { ScratchRepository } from "./scratch-repository.ts";

/** Where a client finds the gateway and itself. */
export interface ClientPlace {
  readonly url: string;
  readonly token: string;
  readonly repository: ScratchRepository;
}

/** A coding client that brings its own tools, and how it is set to use nothing but the gateway. */
export interface CodingClient {
  readonly name: string;
  readonly package: ClientPackage;
  /** Commands of its own that write what it keeps about itself; each is run once before the task. */
  readonly setUp?: (place: ClientPlace) => readonly (readonly string[])[];
  /** Writes its settings. The task comes last among the arguments, and is added to them. */
  readonly prepare: (place: ClientPlace) => {
    readonly args: readonly string[];
    readonly env: Readonly<Record<string, string>>;
  };
  /** What is added to the arguments to go on with its last session. Absent: it cannot, as a script. */
  readonly goOn?: readonly string[];
  /** The same, before the arguments: for a client whose last one takes the task as its value. */
  readonly goOnFirst?: readonly string[];
  /** The same for a client that goes on in a terminal alone, where the task is typed once it shows that it is ready. */
  readonly goOnInTerminal?: (place: ClientPlace) => { readonly args: readonly string[]; readonly ready: string };
}
