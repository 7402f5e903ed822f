import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";

export interface Seen {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

const MARK = "\x1e";

/** A shell in which one command is typed after the other: what one has set is there for the next, and for programs. */
export class OneShell {
  readonly #child: ChildProcessWithoutNullStreams;
  #stdout = "";
  #stderr = "";

  constructor(place: { readonly cwd: string; readonly env: Readonly<Record<string, string>> }) {
    this.#child = spawn("sh", [], place);
    this.#child.stderr.setEncoding("utf8").on("data", (text: string) => {
      this.#stderr += text;
    });
    this.#child.stdout.setEncoding("utf8").on("data", (text: string) => {
      this.#stdout += text;
    });
    this.#child.stdin.write("set -a\n");
  }

  /** One at a time. Rejects when the shell itself ends. */
  async type(command: string): Promise<Seen> {
    this.#stdout = "";
    this.#stderr = "";
    this.#child.stdin.write(`{ ${command}\n} </dev/null\nprintf '${MARK}%d${MARK}' $?\n`);
    const code = await this.#ended();
    return { code, stdout: this.#stdout.slice(0, this.#stdout.indexOf(MARK)), stderr: this.#stderr };
  }

  close(): void {
    this.#child.stdin.end();
  }

  #ended(): Promise<number> {
    const { promise, resolve, reject } = Promise.withResolvers<number>();
    const fail = (): void => reject(new Error(`The shell has ended: ${this.#stderr}`));
    const look = (): void => {
      const [, code] = new RegExp(`${MARK}(\\d+)${MARK}$`).exec(this.#stdout) ?? [];
      if (code !== undefined) resolve(Number(code));
    };
    this.#child.once("exit", fail);
    this.#child.stdout.on("data", look);
    return promise.finally(() => {
      this.#child.off("exit", fail);
      this.#child.stdout.off("data", look);
    });
  }
}
