import { X509Certificate } from "node:crypto";
import { afterEach, describe, expect, it } from "vitest";
import { ask, RunClient } from "../testing/run-client.ts";
import { startUpstream, type Upstream } from "../upstream.ts";
import { type Certificate, createSelfSigned } from "./self-signed.ts";

let upstream: Upstream | undefined;
afterEach(() => upstream?.close());

/** What a client says that trusts `ca` and talks to a server with `tls`. */
async function talk(tls: Certificate, ca: string): Promise<string> {
  upstream = await startUpstream({ tls, scenario: { turns: [[{ text: "Hello." }]] } });
  const { text, error } = await new RunClient({ url: upstream.secureUrl, httpVersion: "2", ca }).run(ask("hi"));
  return error?.rawMessage ?? text;
}

describe("a certificate of the upstream", () => {
  it("signs itself, names its hosts and is good for a month", () => {
    const now = Date.UTC(2026, 0, 31);
    const certificate = new X509Certificate(
      createSelfSigned({ names: ["a.example", "10.0.0.7"], now: () => now }).cert,
    );
    expect({
      isSigned: certificate.verify(certificate.publicKey),
      isAuthority: certificate.ca,
      names: certificate.subjectAltName,
      from: new Date(certificate.validFrom).getTime(),
      to: new Date(certificate.validTo).getTime(),
    }).toEqual({
      isSigned: true,
      isAuthority: true,
      names: "DNS:a.example, IP Address:10.0.0.7",
      from: Date.UTC(2026, 0, 30),
      to: Date.UTC(2026, 2, 2),
    });
  });

  it("is trusted by the client that was given it", async () => {
    const tls = createSelfSigned();
    expect(await talk(tls, tls.cert)).toBe("Hello.");
  });

  it("is refused when it is another server's, for another host, or expired", async () => {
    expect(await talk(createSelfSigned(), createSelfSigned().cert)).toMatch(/self-signed|unable to verify|signature/i);
    await upstream?.close();
    const elsewhere = createSelfSigned({ names: ["elsewhere.example"] });
    expect(await talk(elsewhere, elsewhere.cert)).toMatch(/does not match certificate's altnames/);
    await upstream?.close();
    const expired = createSelfSigned({ days: -0.5 });
    expect(await talk(expired, expired.cert)).toMatch(/expired/);
  });
});
