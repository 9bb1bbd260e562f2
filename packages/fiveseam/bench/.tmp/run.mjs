import { ours, bare } from "./w.mjs"; import { formatReport } from "@fiveseam/context/prefix-meter";
const n=Number(process.argv[2]); const r=await (process.argv[3]==="bare"?bare:ours)(n); console.log(JSON.stringify(r.totals,null,1)); 
for (const t of r.turns.slice(0,400)) if (t.rebilledTokens>50) console.log(t.turn, t.conversation, t.promptTokens, t.reusedTokens, t.rebilledTokens, JSON.stringify(t.moved ?? t.move ?? null).slice(0,300));
process.exit(0);
