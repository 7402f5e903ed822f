import { useState } from "react";
import { CopyButton } from "../parts/copy-button.tsx";
import { ScreenFrame } from "../screen/screen-frame.tsx";
import { DoorTests } from "./door-tests.tsx";
import { gatewayUrl } from "./gateway-url.ts";
import { type MadeToken, RecipeView } from "./recipe-view.tsx";
import { recipes } from "./recipes.ts";

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
      <DoorTests url={url} />
      <h2 className="mt-8 mb-2 font-semibold">Recipes</h2>
      <nav aria-label="Clients" className="mb-4 flex flex-wrap gap-1">
        {all.map(({ id, name }) => (
          <button
            aria-current={id === chosen}
            className={`min-h-8 cursor-pointer rounded-md border px-2.5 text-[13px] max-sm:min-h-10 ${
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
