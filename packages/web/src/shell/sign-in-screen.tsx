import { type FormEvent, useEffect, useState } from "react";
import { usePageData } from "../data/page-data-context.tsx";
import { usePageState } from "../data/page-hooks.ts";
import { Button } from "../parts/button.tsx";
import { CopyButton } from "../parts/copy-button.tsx";
import { ErrorNote } from "../parts/error-note.tsx";
import { Field, TextInput } from "../parts/field.tsx";

const IN_HASH = /#\/sign-in\/([^/?#\s]+)/;

const BARE = /^[\w-]{8,}$/;

/** For a browser that the gateway does not know: it shows only how to sign in. */
export function SignInScreen() {
  const error = usePageState(({ signInError }) => signInError);
  const command = `${useCommandForm()} link`;
  return (
    <main className="flex min-h-full items-center justify-center p-4">
      <div className="flex w-full max-w-sm flex-col gap-4">
        <h1 className="font-semibold text-xl">Sign in to Caret</h1>
        {error !== undefined && <ErrorNote error={error.toInfo()} />}
        <div className="flex flex-col gap-1">
          <p className="text-soft">Run this in your terminal and open the link that it prints:</p>
          <div className="flex items-center rounded-md border border-line bg-panel pl-3">
            <code className="flex-1 py-2 font-mono text-[13px]">{command}</code>
            <CopyButton label="Copy the command" text={command} />
          </div>
        </div>
        <PasteLink />
        <p className="text-[12px] text-faint">A link works once, for ten minutes, and signs in this browser only.</p>
      </div>
    </main>
  );
}

/** How Caret is started where the gateway runs: the page itself may have been loaded anywhere. */
function useCommandForm(): string {
  const { readCommandForm } = usePageData();
  const [command, setCommand] = useState("caret");
  useEffect(() => {
    // A gateway that does not answer leaves the usual form.
    readCommandForm().then(setCommand, () => undefined);
  }, [readCommandForm]);
  return command;
}

function PasteLink() {
  const { signIn } = usePageData();
  const [pasted, setPasted] = useState("");
  const [isWrong, setWrong] = useState(false);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    const code = findSignInCode(pasted);
    setWrong(code === undefined);
    if (code !== undefined) void signIn(code);
  };
  return (
    <form className="flex flex-col gap-2" onSubmit={submit}>
      <Field
        hint={isWrong ? "This is no sign-in link: it has `#/sign-in/` in it." : undefined}
        label="Or paste the link here"
      >
        {(ids) => (
          <TextInput
            {...ids}
            aria-invalid={isWrong}
            autoComplete="off"
            onChange={(event) => setPasted(event.target.value)}
            placeholder="http://127.0.0.1…/#/sign-in/…"
            spellCheck={false}
            value={pasted}
          />
        )}
      </Field>
      <Button disabled={pasted.trim() === ""} tone="primary" type="submit">
        Sign in
      </Button>
    </form>
  );
}

/** The one-time code in the pasted text: a whole link, or the code alone. */
export function findSignInCode(pasted: string): string | undefined {
  const text = pasted.trim();
  return IN_HASH.exec(text)?.[1] ?? (BARE.test(text) ? text : undefined);
}

/** The code in the page's own address. It is removed there at once: it works once and belongs in no history. */
export function takeSignInCode(): string | undefined {
  const code = IN_HASH.exec(location.hash)?.[1];
  if (code !== undefined) history.replaceState(null, "", `${location.pathname}#/`);
  return code;
}
