import { overhead } from "./o2.mjs"; const r=await overhead(25,3); console.log(JSON.stringify(r), (r.ours/r.sameFiles).toFixed(2)); process.exit(0);
