import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createRedactor } from "./redactor.ts";

const redactor = createRedactor({ secrets: [] });

/** Made up, but as mixed as generated ones. */
const mixed = (count: number): string => "aB3dE5gH7jK9mN1pQ2rS4tU6vW8xY0zA".repeat(8).slice(0, count);
const hex = (count: number): string => "3f9a1c7e5b2d8046".repeat(8).slice(0, count);

const tokens: Readonly<Record<string, string>> = {
  "Caret's own": `caret_${mixed(20)}-_${mixed(21)}`,
  "an OpenAI key": `sk-proj-${mixed(40)}`,
  "an Anthropic key": `sk-ant-api03-${mixed(60)}-${mixed(20)}`,
  "a Cursor key": `crsr_${hex(64)}`,
  "a Stripe key": `sk_live_${mixed(24)}`,
  "a restricted Stripe key": `rk_test_${mixed(30)}`,
  "a Stripe webhook secret": `whsec_${mixed(32)}`,
  "a Hugging Face token": `hf_${mixed(34)}`,
  "a SendGrid key": `SG.${mixed(22)}.${mixed(43)}`,
  "a DigitalOcean token": `dop_v1_${hex(64)}`,
  "a Docker token": `dckr_pat_${mixed(27)}`,
  "a PyPI token": `pypi-AgEIcHlwaS5vcmc${mixed(80)}`,
  "an npm token": `npm_${mixed(36)}`,
  "a Google OAuth token": `ya29.a0${mixed(60)}-${mixed(20)}`,
  "a Google refresh token": `1//0g${mixed(40)}`,
  "a Google client secret": `GOCSPX-${mixed(28)}`,
  "a Google API key": `AIza${mixed(35)}`,
  "a GitHub token": `ghs_${mixed(36)}`,
  "a fine-grained GitHub token": `github_pat_${mixed(22)}_${mixed(59)}`,
  "a GitLab token": `glpat-${mixed(20)}`,
  "a GitLab runner token": `glrt-${mixed(20)}`,
  "a newer GitLab runner token": `glrt-t1_${mixed(27)}.01.${hex(9)}`,
  "a Slack token": `xoxb-${"123456789012-".repeat(2)}${mixed(24)}`,
  "a Slack app token": `xapp-1-A0${mixed(10)}-${"123456789012"}-${hex(64)}`,
  "an AWS key id": "AKIAABCDEFGH1JKLMN0P",
  "an age key": `AGE-SECRET-KEY-1${"QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L".repeat(2).slice(0, 58)}`,
  "a JSON Web Token": `eyJ${mixed(20)}.eyJ${mixed(30)}.${mixed(43)}`,
  "a Twilio key": `SK${hex(32)}`,
  "a Vault token": `hvs.${mixed(90)}`,
  "a Linear key": `lin_api_${mixed(40)}`,
  "a Groq key": `gsk_${mixed(52)}`,
  "a Shopify token": `shpat_${hex(32)}`,
  "a Hugging Face token of letters only": `hf_${"x".repeat(34)}`,
  "a Stripe key of small letters": `sk_test_${"abcd".repeat(6)}`,
  "a Databricks token": `dapi${hex(32)}`,
};

/** Secrets recognised by their context, and what is left of them. */
const inPlace: Readonly<Record<string, readonly [text: string, kept: string]>> = {
  "a Slack webhook": [
    `https://hooks.slack.com/services/T00000000/B00000000/${mixed(24)}`,
    "https://hooks.slack.com/services/[redacted]",
  ],
  "a Discord webhook": [
    `https://discord.com/api/webhooks/123456789012345678/${mixed(68)}`,
    "https://discord.com/api/webhooks/123456789012345678/[redacted]",
  ],
  "an Azure account key": [
    `AccountName=store;AccountKey=${mixed(40)}+/${mixed(44)}==;EndpointSuffix=core.windows.net`,
    "AccountName=store;AccountKey=[redacted];EndpointSuffix=core.windows.net",
  ],
  "an Azure account key by itself": [`the key is ${mixed(40)}+/${mixed(44)}==`, "the key is [redacted]"],
  "an Azure client secret": [`secret abc8Q~${mixed(34)} end`, "secret abc8Q~[redacted] end"],
  "a bot of Telegram": [`bot 123456789:AA${mixed(33)} end`, "bot 123456789:AA[redacted] end"],
  "a key in the environment": [`AZURE_STORAGE_KEY=${mixed(40)}`, "AZURE_STORAGE_KEY=[redacted]"],
  "a hexadecimal key in the environment": [`ENCRYPTION_KEY: ${hex(64)}`, "ENCRYPTION_KEY: [redacted]"],
  "a login of npm": [`//registry.npmjs.org/:_auth=${mixed(24)}=`, "//registry.npmjs.org/:_auth=[redacted]"],
  "a PGP key": [
    `-----BEGIN PGP PRIVATE KEY BLOCK-----\n\n${mixed(64)}\n-----END PGP PRIVATE KEY BLOCK-----`,
    "[redacted]",
  ],
};

describe("A token of a known kind", () => {
  it.each(Object.entries(tokens))("is redacted: %s", (_kind, token) => {
    const places = [
      `use ${token} here`,
      `(${token}).`,
      JSON.stringify({ value: token }),
      `value='${token}'`,
      `<${token}>`,
    ];
    expect(places.map((text) => redactor.redactText(text))).toEqual([
      "use [redacted] here",
      "([redacted]).",
      '{"value":"[redacted]"}',
      "value='[redacted]'",
      "<[redacted]>",
    ]);
  });

  it.each(Object.entries(inPlace))("is redacted: %s", (_kind, [text, kept]) => {
    expect(redactor.redactText(text)).toBe(kept);
  });

  it("is redacted wherever a stream is cut, in its beginning too", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...Object.values(tokens)),
        fc.array(fc.nat(120), { maxLength: 6 }),
        async (token, cuts) => {
          const text = `It is ${token} and no other.`;
          const places = [0, ...cuts.map((cut) => Math.min(cut, text.length)).toSorted((a, b) => a - b), text.length];
          const chunks = places.slice(1).map((end, index) => text.slice(places[index], end));
          let kept = "";
          for await (const chunk of redactor.redactStream(streamOf(chunks))) kept += chunk;
          expect(kept).toBe("It is [redacted] and no other.");
        },
      ),
      { numRuns: 500 },
    );
  });
});

describe("A web token of thousands of characters", () => {
  it("is redacted in a stream as it is in a whole text", async () => {
    const claims = mixed(200).repeat(35);
    const text = `It is eyJ${mixed(30)}.eyJ${claims}.${mixed(43)} and no other.`;
    const chunks = text.match(/.{1,50}/g) ?? [];
    expect([await collect(chunks), redactor.redactText(text)]).toEqual(Array(2).fill("It is [redacted] and no other."));
  });
});

describe("A secret that is known by its place", () => {
  // That one has no prefix: it is recognised by its length.
  const { "an Azure account key by itself": alone, ...named } = inPlace;

  it("is kept up to where it gets too long for a word: an Azure account key by itself", async () => {
    const [text] = alone as readonly [string, string];
    const cuts = [[...text], ...[...text].map((_, at) => [text.slice(0, at), text.slice(at)])];
    const kept = await Promise.all(cuts.map(collect));
    expect(kept.filter((each) => !/^the key is [\w+/]{0,31}\[redacted\]$/.test(each))).toEqual([]);
  });

  it.each(Object.entries(named))("is redacted wherever a stream is cut: %s", async (_kind, [text, kept]) => {
    const cuts = [[...text], ...[...text].map((_, at) => [text.slice(0, at), text.slice(at)])];
    expect([...new Set(await Promise.all(cuts.map(collect)))]).toEqual([kept]);
  });
});

describe("What only looks a little like a token", () => {
  it.each([
    "caret_request_seconds_bucket and caret_stream_bytes_total",
    "sk_live_or_sk_test_is_the_prefix",
    "hf_hub_download_with_retries_and_cache and hf_transfer",
    "re_compile_all_patterns_of_the_module_v2",
    "SK stands for secret key",
    "SG.UIComponents.Rendering.DefaultRenderer",
    "ya29. is how they begin",
    "pypi-publish-to-the-index-with-trusted-publishing-2024-and-later",
    "npm_config_registry npm_lifecycle_event npm_package_json",
    "SORT_KEY=created_at PRIMARY_KEY=id CACHE_KEY=v1-dependencies-linux-node-24",
    "S3_KEY=uploads/2024/report-final-v2.png",
    'primary_key: "user_id2"',
    "the key-value store, key-generation-for-everybody-2024",
    '"integrity": "sha512-aB3dE5gH7jK9mN1pQ2rS4tU6vW8xY0zAaB3dE5gH7jK9mN1pQ2rS4tU6vW8xY0zAaB3dE5gH7jK9mN1pQ2rS4w=="',
    "https://hooks.slack.com/services/ and https://discord.com/api/webhooks/",
    "glpat-… and glrt-… are GitLab's",
    "AKIA is how key ids begin; ASIA too, and AKIAlowercaseletters1",
    "AGE-SECRET-KEY-1… is age's",
    "eyJ.eyJ.eyJ",
    "secret_manager_client_for_the_whole_application",
    "dapi is Databricks' and dop_v1_ DigitalOcean's",
  ])("stays as it is: %s", (text) => {
    expect(redactor.redactText(text)).toBe(text);
  });
});

describe("The time it takes to redact", () => {
  const pieces = [
    ...[
      "eyJ",
      "eyJ-",
      "eyJ.",
      "eyJaaaaaaa.",
      "sk-",
      "sk-a",
      "SG.",
      "SG.a",
      "ya29.",
      "glrt-",
      "hf_",
      "caret_",
      "AIza",
      "1//0",
    ],
    ...[
      "token",
      "token=",
      "token='",
      'token="a',
      "password=",
      "AccountKey=",
      "A_KEY=",
      "==",
      "Q~",
      ":AA",
      "://a:",
      "?token",
    ],
    ...[
      "bearer a",
      "authorization: bearer ",
      "-----BEGIN PRIVATE KEY-----",
      "-----END PRIVATE KEY-----",
      "a",
      "a1",
      '"',
      "\\",
    ],
    ...[
      "hooks.slack.com/services/",
      "AGE-SECRET-KEY-1",
      "xoxb-",
      "-----BEGIN PRIVATE KEY-----aaaaaaaaaaaaaaaaaaaaaaaaaa",
    ],
  ];

  it.each(pieces)("is linear in texts that repeat %j", (piece) => {
    // Four times the text takes four times as long, give or take a collection; quadratic time would be sixteen times.
    const length = 100_000;
    const small = workMs(piece, length);
    const large = workMs(piece, 4 * length);
    expect(large).toBeLessThan(8 * small + 100);
  });

  it("comes to an end with a token that has many full stops within", () => {
    const stops = ".".repeat(400_000);
    expect(redactor.redactText(`xoxb-${stops}a${stops}`)).toBe(`[redacted]${stops}`);
  });
});

/** Processor time of this thread, which a busy machine does not increase; the best of three. */
function workMs(piece: string, length: number): number {
  const text = piece.repeat(Math.ceil(length / piece.length));
  const times = Array.from({ length: 3 }, () => {
    const began = process.threadCpuUsage();
    redactor.redactText(text);
    const { user, system } = process.threadCpuUsage(began);
    return (user + system) / 1_000;
  });
  return Math.min(...times);
}

async function* streamOf(chunks: readonly string[]): AsyncGenerator<string> {
  yield* chunks;
}

async function collect(chunks: readonly string[]): Promise<string> {
  let all = "";
  for await (const chunk of redactor.redactStream(streamOf(chunks))) all += chunk;
  return all;
}
