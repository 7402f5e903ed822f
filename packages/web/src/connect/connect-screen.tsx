import { type Recipe, recipes } from "@caret/protocol/recipes";
import { KeyRound } from "lucide-react";
import { useState } from "react";
import { useApi } from "../data/page-hooks.ts";
import { Button } from "../parts/button.tsx";
import { CopyButton } from "../parts/copy-button.tsx";
import { ErrorNote, toErrorInfo } from "../parts/error-note.tsx";
import { CodeBlock, ScreenFrame } from "../screen/screen-frame.tsx";
import { DoorTests } from "./door-tests.tsx";

/** Stands for the token until there is one. */
const NO_TOKEN = "<token>";

/** How other clients use this gateway, to be copied, and whether each of its doors answers. */
export function ConnectScreen() {
  const url = gatewayUrl(document.baseURI);
  const [chosen, setChosen] = useState("claude-code");
  // In memory only: they are gone with the page, as promised.
  const [tokens, setTokens] = useState<Readonly<Record<string, MadeToken>>>({});
  const all = recipes({ url, token: tokens[chosen]?.token ?? NO_TOKEN });
  const recipe = all.find(({ id }) => id === chosen);
  return (
    <ScreenFrame
      about="Any client of OpenAI's or Anthropic's APIs can use this gateway. It needs its address and a token."
      title="Connect"
    >
      <Address url={url} />
      <p className="mb-4 text-soft">
        Every route is described in the{" "}
        <a className="text-accent underline" href={`${url}/docs`} rel="noreferrer" target="_blank">
          API documentation
        </a>
        .
      </p>
      <DoorTests url={url} />
      <h2 className="mt-8 mb-2 font-semibold">Recipes</h2>
      <nav aria-label="Clients" className="mb-4 flex flex-wrap gap-1">
        {all.map(({ id, name }) => (
          <button
            aria-current={id === chosen}
            className={`min-h-8 cursor-pointer rounded-md border px-2.5 text-[13px] max-md:min-h-10 max-md:min-w-10 ${
              id === chosen ? "border-accent text-accent" : "border-line text-soft hover:bg-panel hover:text-ink"
            }`}
            key={id}
            onClick={() => setChosen(id)}
            type="button"
          >
            {name}
          </button>
        ))}
      </nav>
      {recipe !== undefined && (
        <RecipeView
          key={chosen}
          onToken={(made) => setTokens({ ...tokens, [chosen]: made })}
          recipe={recipe}
          made={tokens[chosen]}
        />
      )}
    </ScreenFrame>
  );
}

function Address({ url }: { readonly url: string }) {
  return (
    <p className="mb-4 flex min-h-10 items-center gap-3 rounded-lg border border-line bg-raised pr-1 pl-3 sm:pl-4">
      <span className="text-soft">Address</span>
      <code className="min-w-0 flex-1 truncate font-mono text-[13px]">{url}</code>
      <CopyButton label="Copy the address" text={url} />
    </p>
  );
}

/** Where the gateway that served this page is reached: with the path below which a proxy may have put it. */
export function gatewayUrl(pageAddress: string): string {
  const { origin, pathname } = new URL("./", pageAddress);
  return `${origin}${pathname}`.replace(/\/$/, "");
}

export interface MadeToken {
  readonly name: string;
  readonly token: string;
}

interface RecipeViewProps {
  readonly recipe: Recipe;
  readonly made: MadeToken | undefined;
  readonly onToken: (made: MadeToken) => void;
}

export function RecipeView({ recipe, made, onToken }: RecipeViewProps) {
  return (
    <section aria-label={recipe.name} className="grid gap-3">
      <p className="text-soft">{recipe.about}</p>
      <TokenRow made={made} onToken={onToken} recipe={recipe} />
      {recipe.parts.map((part) => (
        <CodeBlock key={part.target} target={part.target} text={part.text} />
      ))}
    </section>
  );
}

/** A token of its own for each client can be taken back without the others noticing. */
function TokenRow({ recipe, made, onToken }: RecipeViewProps) {
  const api = useApi();
  const [error, setError] = useState<unknown>();
  const [isMaking, setMaking] = useState(false);
  const make = async (): Promise<void> => {
    setMaking(true);
    try {
      onToken(await api.createToken(tokenName(recipe.id, new Date())));
      setError(undefined);
    } catch (reason) {
      setError(reason);
    } finally {
      setMaking(false);
    }
  };
  if (error !== undefined) return <ErrorNote error={toErrorInfo(error)} onRetry={make} />;
  if (made === undefined)
    return (
      <div>
        <Button disabled={isMaking} icon={<KeyRound aria-hidden="true" size={16} />} onClick={make}>
          Make a token for {recipe.name}
        </Button>
      </div>
    );
  return (
    <div aria-live="polite" className="rounded-lg border border-line bg-raised py-1 pr-1 pl-3 sm:pl-4">
      <div className="flex min-h-8 items-center gap-3">
        <code className="min-w-0 flex-1 truncate font-mono text-[13px]">{made.token}</code>
        <CopyButton label="Copy the token" text={made.token} />
      </div>
      <p className="pb-1 text-[13px] text-soft">
        It is in the recipe below, and is shown only until you leave this page.{" "}
        <code className="font-mono [overflow-wrap:anywhere]">caret token revoke {made.name}</code> revokes it.
      </p>
    </div>
  );
}

/** What a token for a client is called: what it is for, and since when. Names are unique. */
export function tokenName(client: string, now: Date): string {
  const stamp = now.toISOString().replaceAll(/[-:]/g, "").slice(0, 15).replace("T", "-");
  return `${client}-${stamp}`;
}
