import type { DescService } from "@bufbuild/protobuf";
import { trimEndOf } from "@caret/protocol";
import { type Client, createClient } from "@connectrpc/connect";
import { createTransport } from "@connectrpc/connect/protocol-connect";
import { compressionBrotli, compressionGzip } from "@connectrpc/connect-node";
import type { UpstreamLink } from "./upstream-link.ts";

const MAX_BYTES = 32 * 1024 * 1024;

/** A client for the unary calls of a service. */
export function createUnaryClient<Service extends DescService>(link: UpstreamLink, service: Service): Client<Service> {
  const transport = createTransport({
    baseUrl: trimEndOf(link.url.href, "/"),
    httpClient: link.request,
    useBinaryFormat: true,
    interceptors: [],
    acceptCompression: [compressionGzip, compressionBrotli],
    sendCompression: null,
    compressMinBytes: 0,
    readMaxBytes: MAX_BYTES,
    writeMaxBytes: MAX_BYTES,
  });
  return createClient(service, transport);
}
