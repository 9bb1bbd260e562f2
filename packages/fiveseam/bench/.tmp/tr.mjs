import { BaseTracer } from "@langchain/core/tracers/base";
const seen=new Map(); const p=BaseTracer.prototype; const o=p._addRunToRunMap;
p._addRunToRunMap=function(run){ const k=this.constructor.name+" "+this.name; if(!seen.has(k)) { seen.set(k,0); console.log(k, new Error().stack.split("\n").slice(2,12).join("\n")); } seen.set(k,seen.get(k)+1); return o.call(this,run); };
const { createCodingAgent } = await import("fiveseam");
const { mkdtempSync } = await import("node:fs");
const b=mkdtempSync("/tmp/x-");
const a=await createCodingAgent({workspace:b,stateDir:b+"-s",model:"scripted",checkpointer:false,store:false});
await a.invoke({messages:[{role:"user",content:"hi"}]});
console.log(seen); await a.close(); process.exit(0);
