// The server seen through the protocol's own client library: node sdk.mjs RECTO REF
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";

const [command, ref] = process.argv.slice(2);
const transport = new StdioClientTransport({ command, args: ["mcp-tools"], env: process.env });
const client = new Client({ name: "sdk", version: "1" });
await client.connect(transport);
const { tools } = await client.listTools();
const pages = [];
let call = { name: "recto_expand", arguments: { ref } };
while (call) {
  const { content, isError } = await client.callTool(call);
  if (isError) throw new Error(content[0].text);
  pages.push(content[0].text);
  const next = content[1]?.text.match(/next page: (\S+) (\{.*\})\]$/);
  call = next && { name: next[1], arguments: JSON.parse(next[2]) };
}
const wrong = await client.callTool({ name: "recto_expand", arguments: { ref: "r:1" } });
await client.close();
const names = tools.map((tool) => tool.name);
console.log(JSON.stringify({ names, text: pages.join(""), pages: pages.length, isError: wrong.isError }));
