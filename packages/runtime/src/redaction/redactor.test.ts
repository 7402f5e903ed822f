import { Secret } from "@caret/protocol";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createRedactor } from "./redactor.ts";

const secret = 'p4ss "wörd"/+\\end?';
const redactor = createRedactor({ secrets: [new Secret(secret), new Secret("crsr-gateway-key"), new Secret("abc")] });
const withoutSecrets = createRedactor({ secrets: [] });

const base64 = (text: string): string => Buffer.from(text).toString("base64");
const letters = (count: number): string => "aB3dE5gH7jK9mN1pQ2rS4tU6vW8xY0zA".repeat(8).slice(0, count);

describe("A known secret", () => {
  it.each([
    ["as it is", secret, "a [redacted] z"],
    ["in JSON", JSON.stringify(secret).slice(1, -1), "a [redacted] z"],
    ["in JSON in JSON", JSON.stringify(JSON.stringify(secret)).slice(3, -3), "a [redacted] z"],
    ["in a URL", encodeURIComponent(secret), "a [redacted] z"],
    ["in a URL with small hex digits", encodeURIComponent(secret).toLowerCase(), "a [redacted] z"],
    ["in a form", new URLSearchParams({ v: secret }).toString().slice(2), "a [redacted] z"],
    ["in hex", Buffer.from(secret).toString("hex"), "a [redacted] z"],
    ["in capital hex", Buffer.from(secret).toString("hex").toUpperCase(), "a [redacted] z"],
  ])("is redacted %s", (_, spelling, expected) => {
    expect(redactor.redactText(`a ${spelling} z`)).toBe(expected);
  });

  it.each(["", "x", "xy", "xyz", "user:", "é"])("is redacted in base64 after %j", (before) => {
    for (const after of ["", "1", "12", "123"]) {
      const encoded = base64(before + secret + after);
      for (const text of [encoded, encoded.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "")]) {
        const rest = redactor.redactText(text);
        expect(rest).toContain("[redacted]");
        // At most a character at either side depends on the neighbours, and a bit of the secret in it.
        const decoded = Buffer.from(rest.replaceAll("[redacted]", ""), "base64").toString();
        expect(decoded).not.toContain(secret.slice(1, 4));
        expect(decoded).not.toContain(secret.slice(-4, -1));
      }
    }
  });

  it("is redacted in the keys and values of JSON, which stays the same object where nothing was", () => {
    const clean = { list: [1, "two", null] };
    const value = { [`k ${secret}`]: clean, other: [`v ${secret}`] };
    const redacted = redactor.redactValue(value);
    expect(redacted).toEqual({ "k [redacted]": clean, other: ["v [redacted]"] });
    expect(redactor.redactValue(clean)).toBe(clean);
  });

  it("that is too short to be distinguished from ordinary letters is left alone", () => {
    expect(redactor.redactText("abc abcdef")).toBe("abc abcdef");
  });

  it("is redacted from six characters on", () => {
    const six = createRedactor({ secrets: [new Secret("kT4-q9"), new Secret("wZ8-m")] });
    expect(six.redactText("kT4-q9 wZ8-m")).toBe("[redacted] wZ8-m");
  });

  it("is redacted wherever a stream is cut", async () => {
    const text = `before ${secret} middle crsr-gateway-keycrsr-gateway-key ${JSON.stringify(secret)} after crsr-gateway`;
    const expected = 'before [redacted] middle [redacted][redacted] "[redacted]" after crsr-gateway';
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(text.length), { maxLength: 12 }), async (cuts) => {
        const places = [0, ...cuts.sort((one, other) => one - other), text.length];
        const chunks = places.slice(1).map((end, index) => text.slice(places[index], end));
        expect(await collect(redactor.redactStream(streamOf(chunks)))).toBe(expected);
      }),
    );
  });

  it("that ends as it begins is redacted whole, although its end could begin another one", async () => {
    const overlapping = createRedactor({ secrets: [new Secret("echo-1-echo-1")] });
    expect(await collect(overlapping.redactStream(streamOf(["echo-1-echo-1", "!"])))).toBe("[redacted]!");
  });

  it("that another one begins with is not let go before the longer one is ruled out", async () => {
    const two = createRedactor({ secrets: [new Secret("crsr-gateway"), new Secret("crsr-gateway-key")] });
    expect(await collect(two.redactStream(streamOf(["crsr-gateway", "-key"])))).toBe("[redacted]");
    expect(await collect(two.redactStream(streamOf(["crsr-gateway", "-door"])))).toBe("[redacted]-door");
  });
});

describe("What looks like a secret", () => {
  it.each([
    ["a bearer header", `Authorization: Bearer ${letters(24)}`, "Authorization: Bearer [redacted]"],
    ["a basic header", "authorization: Basic dXNlcjpwYXNz", "authorization: Basic [redacted]"],
    ["a header in JSON", `{"Authorization":"Bearer ${letters(24)}"}`, '{"Authorization":"Bearer [redacted]"}'],
    ["a bearer token in curl", `curl -H 'x: bearer ${letters(40)}'`, "curl -H 'x: bearer [redacted]'"],
    ["an OpenAI key", `key is sk-proj-${letters(40)}.`, "key is [redacted]."],
    ["an Anthropic key", `sk-ant-api03-${letters(40)}`, "[redacted]"],
    ["a Cursor key", `use key_${letters(64)} here`, "use [redacted] here"],
    ["a newer Cursor key", `use crsr_${letters(64)} here`, "use [redacted] here"],
    ["a JWT", `eyJ${letters(20)}.eyJ${letters(30)}.${letters(43)}`, "[redacted]"],
    ["an AWS key id", "id AKIAABCDEFGHIJKLMNOP end", "id [redacted] end"],
    ["an AWS secret", `aws_secret_access_key = ${letters(40)}`, "aws_secret_access_key = [redacted]"],
    ["a GitHub token", `https://x:ghp_${letters(36)}@github.com`, "https://x:[redacted]@github.com"],
    ["a fine-grained GitHub token", `github_pat_${letters(22)}_${letters(59)}`, "[redacted]"],
    ["an environment line", "export DB_PASSWORD=correcthorse", "export DB_PASSWORD=[redacted]"],
    ["a quoted environment line", "MY_API_KEY='a1b2c3d4e5'", "MY_API_KEY='[redacted]'"],
    ["a JSON member", '{"client_secret": "correcthorse"}', '{"client_secret": "[redacted]"}'],
    ["a password with a quote in it", '{"password":"ab\\"cd12"}', '{"password":"[redacted]"}'],
    [
      "a JSON member in JSON",
      '{\\"password\\":\\"hunter2\\",\\"a\\":1}',
      '{\\"password\\":\\"[redacted]\\",\\"a\\":1}',
    ],
    ["a YAML line", "password: hunter2\nuser: me", "password: [redacted]\nuser: me"],
    ["a header line", "x-api-key: a1b2c3d4e5f6", "x-api-key: [redacted]"],
    ["a flag", "--token=a1b2c3d4e5f6 --verbose", "--token=[redacted] --verbose"],
    ["a query", "GET /x?a=1&access_token=abcdefgh&b=2", "GET /x?a=1&access_token=[redacted]&b=2"],
    ["user info", "postgres://me:hunter2@db:5432/x", "postgres://me:[redacted]@db:5432/x"],
  ])("is redacted: %s", (_, text, expected) => {
    expect(withoutSecrets.redactText(text)).toBe(expected);
  });

  it.each(["RSA ", "EC ", "OPENSSH ", "ENCRYPTED ", ""])("is redacted: a PEM block of a %sprivate key", (kind) => {
    const begin = `-----BEGIN ${kind}PRIVATE KEY-----`;
    const end = `-----END ${kind}PRIVATE KEY-----`;
    const pem = `${begin}\n${letters(64)}\n${letters(64)}\n${end}`;
    expect(withoutSecrets.redactText(`a\n${pem}\nb`)).toBe("a\n[redacted]\nb");
    expect(withoutSecrets.redactText(JSON.stringify({ pem }))).toBe('{"pem":"[redacted]"}');
    expect(withoutSecrets.redactText(`a ${begin}\n${letters(64)}`)).toBe("a [redacted]");
  });

  it("is redacted under a telling key of a JSON value", () => {
    expect(withoutSecrets.redactValue({ db: { password: "correcthorse", port: 5432, maxTokens: 100 } })).toEqual({
      db: { password: "[redacted]", port: 5432, maxTokens: 100 },
    });
  });

  it("is redacted when a stream cuts a token after its telling beginning", async () => {
    const token = letters(36);
    const chunks = ["see ghp_", token.slice(0, 5), token.slice(5, 30), token.slice(30), " and go on"];
    expect(await collect(withoutSecrets.redactStream(streamOf(chunks)))).toBe("see [redacted] and go on");
  });
});

describe("Ordinary text", () => {
  it.each([
    "commit 3f786850e387550fdab836ed7e6dc881de23001b",
    "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    "123e4567-e89b-12d3-a456-426614174000",
    `data:image/png;base64,${Buffer.from("pixels ".repeat(200)).toString("base64")}`,
    '"integrity": "sha512-abcDEF123+/abcDEF123+/abcDEF123=="',
    "const token = getToken();",
    "const token = await this.auth.getToken({ scope: 'read' });",
    "let password: string;",
    "function login(user: string, password: string, token?: Token): Promise<Session2> {",
    "if (token === undefined) throw new Error('no token');",
    'api_key=os.environ["OPENAI_API_KEY"]',
    "client = Client(api_key=settings.api_key, token=token)",
    "const secret = process.env.SECRET;",
    "const secret = createHash('sha256');",
    "password = hashed.password",
    "PASSWORD = config.password",
    "token=user2.token",
    '{"max_tokens": 4096, "input_tokens": 123456, "token": null}',
    "tokens: 128000, token: 128000",
    '{ token: "keyword.control", foreground: "ff0000" }',
    '<input type="password" name="password" placeholder="Password">',
    '{"password": "Password", "forgot_password": "Forgot your password?"}',
    `Authorization: Bearer \${token}`,
    "Authorization: Bearer <token>",
    `headers: { Authorization: \`Bearer \${apiKey}\` }`,
    "Bearer authentication is used by the bearer of the ring.",
    "Basic authentication is basic.",
    `GITHUB_TOKEN=\${{ secrets.GITHUB_TOKEN }}`,
    "export API_KEY=your-api-key-1",
    "curl https://example.com:8080/path@2x.png",
    "git@github.com:owner/name.git and https://user@example.com/x",
    `postgres://\${user}:\${password}@db/x`,
    "see https://example.com/a?page=12345678&keyword=abcdefgh",
    "task-based-scheduling-of-work-2024 and risk-assessment-of-project-2024",
    '<div class="sk-circle-fade-dot"></div>',
    "key_generation_function_v2(key_size)",
    "The secret: be kind. The token: a coin.",
    'if (pem.startsWith("-----BEGIN PRIVATE KEY-----")) return decode(pem);',
    "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----",
    '[redacted] password=[redacted] "token": "[redacted]" ?token=[redacted] ://a:[redacted]@b',
  ])("stays as it is: %s", (text) => {
    expect(withoutSecrets.redactText(text)).toBe(text);
  });

  it("is redacted once: a second time changes nothing", () => {
    const pieces = fc.constantFrom(
      "password",
      "token",
      "=",
      ":",
      " ",
      '"',
      "'",
      "\\",
      "Bearer ",
      "sk-",
      letters(30),
      "a1b2c3d4",
      "://",
      "@",
      "?",
      "&",
      "[redacted]",
      "\n",
      "-----BEGIN PRIVATE KEY-----",
    );
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 14 }), (parts) => {
        const once = redactor.redactText(parts.join(""));
        expect(redactor.redactText(once)).toBe(once);
      }),
    );
  });

  it("comes out of a stream whole, however it is cut", async () => {
    const chunk = fc.string({ unit: fc.constantFrom("c", "r", "s", "-", "g", "a", "p", "4", " "), maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(fc.array(chunk), async (chunks) => {
        const text = chunks.join("");
        fc.pre(redactor.redactText(text) === text);
        expect(await collect(redactor.redactStream(streamOf(chunks)))).toBe(text);
      }),
    );
  });

  it("takes linear time, even when it is made to look suspicious", () => {
    for (const piece of [
      "eyJ",
      "sk-",
      "token",
      "password=",
      "://a:",
      "-----BEGIN PRIVATE KEY-----",
      "?token",
      "a",
      '"',
    ])
      expect(elapsedMs(() => redactor.redactText(piece.repeat(200_000 / piece.length)))).toBeLessThan(3_000);
  });
});

async function* streamOf(chunks: readonly string[]): AsyncGenerator<string> {
  yield* chunks;
}

async function collect(chunks: AsyncIterable<string>): Promise<string> {
  let all = "";
  for await (const chunk of chunks) all += chunk;
  return all;
}

function elapsedMs(work: () => unknown): number {
  const began = performance.now();
  work();
  return performance.now() - began;
}
