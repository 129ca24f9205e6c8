const PRESETS = [];
const STYLE = ":host{display:block;margin:1rem 0}:host([hidden]),[hidden]{display:none !important}.frame{--gain:#0072b2;--discount:#b84f00;--contribution:#007a5a;--ideal:#9c4a91;--returned:#6e6e6e;--other-1: #8f1d4f;--other-2: #006d77;--other-3: #7a5200;--other-4: #3d4f9f;--other-5: #4d6600;--on-gain:#fff;--text:#1f2328;--quiet:#4f5663;--back:#fffefb;--box:#f6f4ee;--line:#dcd8cd;--edge:#767e8a;--link:#005b8f;--wrong:#a34200;--right:#00694d;--back:var(--ndcg-back,#fffefb);--night:#11161d;container:ten / inline-size;color:var(--text);color-scheme:light;line-height:1.45;font-variant-numeric:tabular-nums}.frame.dark{--gain:#56b4e9;--discount:#ff9d5c;--contribution:#3ecf9f;--ideal:#e39bd8;--returned:#a9b1ba;--other-1: #f58bb4;--other-2: #4fc3cf;--other-3: #e0b04a;--other-4: #a5b4ff;--other-5: #b5d24a;--on-gain:#000;--text:#e8e6e1;--quiet:#b6b5ae;--back:#16181b;--box:#202327;--line:#41454b;--edge:#8f949b;--link:#6cc0f0;--wrong:#ff9d5c;--right:#58d3ae;--back:var(--ndcg-back,#16181b);--night:#090c10;color-scheme:dark}*{box-sizing:border-box}.unseen{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap;margin:0}.nowrap{white-space:nowrap}.g{color:var(--gain)}.d{color:var(--discount)}.c{color:var(--contribution)}.p{color:var(--ideal)}p{margin:0 0 .7rem;text-wrap:pretty}p :is(.g,.d,.c,.p){font-weight:650}button,input{font:inherit;color:inherit}button{cursor:pointer}:focus-visible{outline:3px solid var(--link);outline-offset:2px;border-radius:.3rem}h2:focus,.after:focus{outline:none}kbd{font:inherit;font-size:.85em;border:1px solid var(--edge);border-radius:.25rem;padding:0 .35em}.quiet,.go{border-radius:.45rem;padding:.25rem .85rem;min-height:2.4rem;font-size:.95rem}.quiet{background:none;border:1px solid var(--edge)}.quiet:hover{background:var(--box)}.go{background:var(--text);color:var(--back);border:1px solid var(--text);font-weight:600}[aria-disabled=\"true\"]{cursor:default}.up[aria-disabled=\"true\"],.down[aria-disabled=\"true\"]{color:var(--line)}.turn{display:flex;gap:.6rem;flex-wrap:wrap;align-items:center;margin:.7rem 0}.turn .told{margin:0}.told{font-weight:560}.whose{display:flex;gap:.3rem .8rem;flex-wrap:wrap;align-items:center;min-height:2.4rem;margin:.5rem 0}.whose[hidden]{display:none}b.tick{color:var(--contribution)}.question{font-weight:600;margin-bottom:.5rem}.ask{background:var(--box);border-radius:.6rem;padding:.75rem .9rem;margin:.2rem 0 .7rem}.ask > :last-child{margin-bottom:0}.slide{display:grid;grid-template-columns:minmax(0,1fr) auto auto;align-items:center;gap:.8rem}.slide input{width:100%;height:2.2rem;accent-color:var(--text);margin:0}.slide output{font-size:1.4rem;font-weight:680;min-width:3ch;text-align:right}.options{display:flex;flex-wrap:wrap;gap:.6rem}.options button{flex:1;min-height:2.6rem;border:1.5px solid var(--edge);border-radius:.5rem;background:var(--back);font-weight:600}.options button[aria-pressed=\"true\"]{background:var(--text);color:var(--back)}.options + .kept{margin-top:.6rem}.beside{position:relative;height:1.4rem;margin:0 .5rem .3rem}.beside::before{content:\"\";position:absolute;left:0;right:0;top:50%;height:4px;margin-top:-2px;background:var(--line);border-radius:2px}.beside i{position:absolute;top:50%}.beside .between{height:4px;margin-top:-2px;background:var(--edge)}.beside .mine,.beside .true{width:16px;height:16px;margin:-8px;border-radius:50%}.beside .mine{border:2.5px dashed var(--text);background:var(--box)}.beside .true{background:var(--text)}.fig{--row:4.6rem;--strip:11.4rem;--term:5.6rem;--gap:1rem;display:grid;grid-template-columns:minmax(0,1fr) 11.6rem;gap:.2rem 1.2rem;align-items:start}.left{min-width:0}.heads,.rank{display:grid;grid-template-columns:1.2rem minmax(0,1fr) var(--strip) var(--term);column-gap:var(--gap)}.heads{white-space:nowrap;font-size:.8rem;font-weight:600;height:1.5rem;align-items:end;padding-bottom:.2rem}.heads .g,.heads .c{text-align:right}.stage{position:relative;height:calc(var(--n) * var(--row))}canvas{position:absolute;inset:0;width:100%;height:100%;pointer-events:none;--discount:#ff9d5c;--contribution:#4be3b0;--text:#fff;--quiet:#b4bcc6;--line:#46505d;--back:#11161d}.street{position:absolute;top:0;bottom:0;right:calc(var(--term) + var(--gap) - .3rem);width:calc(var(--strip) + .6rem);background:var(--night);border-radius:.8rem}.rank{height:var(--row);align-items:center;border-radius:.6rem;position:relative}.rank > *{grid-row:1}.rank .i{color:var(--quiet);text-align:center;font-size:.95rem;grid-column:1}.rank .strip{grid-column:3;height:2.4rem;position:relative;margin-top:-1.1rem}.rank .readers{grid-column:3;font-size:.8rem;color:#b4bcc6;align-self:end;padding:0 0 .35rem .4rem;line-height:1.1}.rank .readers b{color:#ff9d5c;font-size:.95rem}.rank .term{grid-column:4;display:grid;justify-items:end;line-height:1.15;font-size:.84rem;border-radius:.4rem;padding:.2rem .3rem;white-space:nowrap}.rank .term b{font-size:1.3rem;font-weight:680;letter-spacing:-.02em}.rank.pointed .term{background:var(--box)}.rank .term small,.op{color:var(--quiet)}.rank.zero .term b{font-weight:450}:host([cut]) .rank.rank.first-after::before{content:\"\"}.rank.first-after::before{content:\"cut-off k: nothing below counts\";position:absolute;left:0;right:0;top:-2px;border-top:3px dashed var(--text);font-size:.72rem;font-weight:650;line-height:1;padding-top:2px;text-align:right;z-index:3;pointer-events:none}.strip input{position:absolute;inset:0;width:100%;height:100%;margin:0;opacity:0;pointer-events:none}[data-shows~=\"draw\"] .strip{cursor:ew-resize;touch-action:none}.cards{list-style:none;margin:0;padding:0;position:absolute;inset:0;pointer-events:none}.card{position:absolute;top:0;left:calc(1.2rem + var(--gap));right:calc(var(--strip) + var(--term) + 2 * var(--gap) + .3rem);height:calc(var(--row) - .6rem);margin-top:.3rem;pointer-events:auto;transform:translateY(var(--y,calc(var(--i) * var(--row))));background:var(--back);border:1.5px solid var(--line);border-radius:.6rem;display:flex}.card.held{z-index:5;box-shadow:0 8px 24px #0004}.card.pointed{border-color:var(--edge)}.card.after{border-style:dashed}.grab{flex:1;min-width:0;display:grid;grid-template-columns:auto minmax(0,1fr) auto;gap:.6rem;align-items:center;text-align:left;border:0;background:none;padding:0 .7rem;cursor:grab;touch-action:pan-y;user-select:none;-webkit-user-select:none}.held .grab{cursor:grabbing}.frozen .grab{cursor:default}.icon{color:var(--quiet);display:grid}.grab .icon:empty::before{content:\"⠿\"}.grab .icon{grid-template-columns:auto auto;gap:.5rem;align-items:center}.grab .icon::before{content:\"\";width:.44rem;height:1rem;background:radial-gradient(circle,var(--edge) .08rem,transparent .1rem) 0 0 / .22rem .33rem}.frozen .grab .icon::before{visibility:hidden}.grab .icon{touch-action:none;padding:.4rem 0}.grab .title{font-size:.95rem;line-height:1.2;font-weight:560}.icon svg{display:block}.pips{display:inline-flex;gap:3px}.pips.number{color:var(--gain);font-weight:650}.pips i{width:9px;height:17px;border-radius:3px;border:1.5px solid var(--edge)}.pips i.on{background:var(--gain);border-color:var(--gain)}.nudges{display:none;flex-direction:column;border-left:1px solid var(--line)}.nudges button,.out{border:0;background:none;color:var(--quiet);padding:0;width:2rem}.nudges button{flex:1;font-size:.7rem;min-height:0}.out{border-left:1px solid var(--line)}.nudges button:hover,.out:hover{color:var(--text);background:var(--box)}.fig:not(.frozen) .card:is(.selected,:hover,:focus-within) .nudges{display:flex}.shelf{margin:.6rem 0 0 2.2rem;display:flex;flex-wrap:wrap;gap:.4rem .8rem;align-items:center;border-top:1.5px dashed var(--line);padding-top:.5rem}.shelf .label{font-size:.82rem;color:var(--quiet);font-weight:600}.put{display:flex;gap:.6rem;align-items:center;border:1.5px dashed var(--ideal);border-radius:.6rem;background:none;min-height:2.6rem;padding:.2rem .8rem;text-align:left;font-size:.95rem;font-weight:560}.put{touch-action:none;cursor:grab}.put:hover{background:var(--box)}.put .p{font-size:.82rem;font-weight:650}.fig:not([data-shows~=\"readers\"]) :is(.heads,.readers,.strip,.street),.fig:not([data-shows~=\"terms\"]) :is(.heads .c,.term){display:none}.fig:not([data-shows~=\"terms\"]){--term:0rem}.fig:not([data-shows~=\"readers\"]){--strip:0rem;--row:3.6rem}.fig:not([data-shows~=\"readers\"]) .card{right:0}.fig:not([data-shows~=\"towers\"]){grid-template-columns:minmax(0,1fr)}.fig:not([data-shows~=\"towers\"])[data-shows~=\"readers\"]{--strip:19rem}.fig:not([data-shows~=\"towers\"]):not([data-shows~=\"readers\"]){max-width:42rem}.towers{height:calc(1.5rem + var(--n) * var(--row));display:flex;flex-direction:column}.well{position:relative;flex:1;margin:0 3.8rem 0 .3rem;border-bottom:2px solid var(--edge)}.tower{position:absolute;bottom:0;top:0;left:0;width:100%}.has-ideal .yours{width:47%}.best{left:auto;right:0;width:47%}.vessel{position:absolute;right:-3px;width:calc(47% + 6px);bottom:-2px;height:calc(var(--idcg) * 100% + 5px);border:2.5px solid var(--ideal);border-radius:.5rem .5rem 0 0;opacity:0}.has-ideal .vessel{opacity:1}.block{position:absolute;left:0;right:0;bottom:calc(var(--from) * 100%);height:calc(var(--v) * 100%);border-radius:.3rem;display:flex;align-items:center;justify-content:center;gap:.3rem;overflow:hidden;font-size:.82rem;font-weight:650;border:1.5px solid var(--back)}.yours .block{background:var(--contribution);color:var(--back)}.best .block{color:var(--ideal);border-color:var(--ideal)}.has-ideal .block .v{display:none}.block .icon{color:inherit}.block .icon svg{width:1.15rem;height:1.15rem}.block.small{font-size:.68rem}.block.small .icon{display:none}.block.none{border:0}.block.none > *{display:none}.pointing .block{opacity:.45}.pointing .block.pointed{opacity:1}.level{position:absolute;left:-.3rem;right:-3.8rem;bottom:calc(var(--dcg) * 100%);border-top:2.5px solid var(--text);opacity:0;z-index:2}.has-ndcg .level{opacity:1}.level .value{position:absolute;right:0;top:-1.9rem;font-size:1.3rem;letter-spacing:-.03em}.level::after{content:\"NDCG\";position:absolute;right:0;top:.1rem;font-size:.74rem;font-weight:650;color:var(--quiet)}.feet{display:flex;flex-wrap:wrap;gap:0 .8rem;font-size:.8rem;padding:.3rem 0 0;font-weight:600}.feet b{font-size:.95rem}.blind :is(.block .v,.feet,.level){visibility:hidden}.formula{grid-column:1 / -1;border-top:1px solid var(--line);margin-top:.5rem;padding-top:.5rem;display:flex;flex-wrap:wrap;gap:.2rem 2rem;align-items:center}.line{display:flex;flex-wrap:wrap;gap:0 .35rem;align-items:baseline}.line .what{font-weight:700}.line .big{font-size:1.5rem;line-height:1;letter-spacing:-.02em}.line.ratio{align-items:center}.frac{display:inline-grid;text-align:center;line-height:1.15}.frac :first-child{border-bottom:1.5px solid var(--text);padding:0 .3rem}.part{border-radius:.25rem;padding:0 .12rem}.part.pointed{background:var(--text);color:var(--back)}.heap svg{width:100%;max-width:30rem;height:auto;max-height:7.5rem;display:block}@container ten (max-width: 46rem){.fig,.fig[data-shows]{--row:4rem;grid-template-columns:minmax(0,1fr);gap:0}.fig:not([data-shows~=\"readers\"]){--row:2.9rem !important}.heads,.street{display:none}.rank,.fig[data-shows] .rank{grid-template-columns:1.1rem minmax(0,1fr) 8.4rem;grid-template-rows:2.3rem 1fr;column-gap:.5rem}.rank .i{grid-row:1}.rank .strip{grid-column:2;grid-row:2;height:1.5rem;margin:0 0 0 .2rem;align-self:start;background:var(--night);border-radius:.4rem}.rank :is(.readers,.term){grid-column:3;grid-row:2;align-self:start;padding:.1rem .2rem 0}.rank .readers{color:var(--quiet);padding-top:.3rem}.rank .readers b{color:var(--discount)}.rank .term{display:flex;align-items:baseline;gap:.4rem;justify-content:flex-end;font-size:.78rem}.rank .term b{font-size:1rem}.fig[data-shows~=\"terms\"] .readers{display:none}.card,.fig[data-shows] .card{left:1.6rem;right:0;height:2.3rem;margin-top:0}.grab{padding:0 .6rem;gap:.5rem}.grab .title{font-size:.9rem;line-height:1.1}.grab .icon{padding:0}.grab .icon svg{width:1.25rem;height:1.25rem}.pips i{width:8px;height:14px}.nudges{flex-direction:row;border:0}.nudges button{border-left:1px solid var(--line)}.shelf{margin-left:1.6rem}.towers{height:auto;position:sticky;bottom:0;z-index:6;background:var(--back);padding:.35rem 0 .3rem;border-top:1px solid var(--line);margin-top:.2rem}.well{flex:none;height:2.5rem;margin:0 .2rem 0 .2rem;border-bottom:0;border-left:2px solid var(--edge)}.tower{inset:0 0 auto 0;width:100%;height:100%}.has-ideal .yours{width:100%;height:47%}.best{top:auto;bottom:0;width:100%;height:47%}.vessel{left:0;right:auto;top:auto;bottom:-3px;height:calc(47% + 6px);width:calc(var(--idcg) * 100% + 3px);border-radius:0 .4rem .4rem 0}.block{bottom:0;top:0;right:auto;left:calc(var(--from) * 100%);width:calc(var(--v) * 100%);height:auto}:is(.has-ideal,.slim) .icon{display:none}.has-ideal .yours .block .v{display:block;font-size:.72rem;line-height:1}.level{left:calc(var(--dcg) * 100%);right:auto;bottom:-.2rem;top:-.2rem;border-top:0;border-left:2.5px solid var(--text)}.level .value{right:auto;left:.2rem;top:-.1rem;font-size:1.1rem;padding:0 .2rem;background:var(--back);border-radius:.2rem}.level::after{content:none}.feet{justify-content:space-between;font-size:.78rem}.formula{font-size:.9rem;gap:.2rem 1rem;margin-top:.3rem}}@media (pointer: coarse){.nudges button,.out{width:2.5rem;font-size:.9rem}.fig .card:hover:not(.selected,:focus-within) .nudges{display:none}}@media (prefers-reduced-motion: no-preference){.card{transition:transform .28s cubic-bezier(.2,.9,.3,1.1)}.card.held{transition:none}.block,.vessel,.level{transition:bottom .5s,height .5s,left .5s,width .5s,opacity .3s}.beside .true{animation:land .7s cubic-bezier(.3,1.5,.6,1) backwards}@keyframes land{from{transform:scale(0)}}}@media (forced-colors: active){.yours .block,canvas,.street,.strip,.rank .readers{forced-color-adjust:none}.pips i.on{background:CanvasText}}@media print{.ask,.turn,.nudges{display:none}}.steps{list-style:none;display:flex;margin:0;padding:0 0 .6rem;gap:.2rem}.steps li{flex:1;min-width:0}.steps a{display:block;color:var(--quiet);text-decoration:none;font-size:.85rem;padding:.35rem .1rem .2rem;border-top:4px solid var(--line);white-space:nowrap;overflow:hidden}.steps a .n{margin-right:.35em;font-weight:650}.steps a.done{border-top-color:var(--contribution)}.steps a[aria-current]{color:var(--text);font-weight:650;border-top-color:var(--text)}@media (forced-colors: active){.steps a{border-top-color:GrayText}.steps a[aria-current]{border-top:6px solid Highlight;outline:1px solid Highlight}}.body{display:grid;gap:.2rem 2.2rem}.panel h2{font-size:1.5rem;line-height:1.15;letter-spacing:-.02em;margin:.2rem 0 .6rem;font-weight:720;text-wrap:balance}.figure,.then,.panel{min-width:0}.engines{display:grid;grid-template-columns:1fr 1fr;gap:.8rem 1.4rem}.one{container:ten / inline-size;min-width:0;border:1.5px solid var(--line);border-radius:.9rem;padding:.5rem .9rem .5rem .6rem}.one.chosen{border-color:var(--text);box-shadow:inset 0 0 0 1px var(--text)}.one h3{display:flex;align-items:baseline;justify-content:space-between;margin:0 0 .3rem .4rem;font-size:1rem}.one .block.small .v{display:none}.one .ndcg{color:var(--quiet);font-size:.82rem}.one .ndcg b{color:var(--text);font-size:2.1rem;line-height:1;letter-spacing:-.04em}.one .fig[data-shows] .rank{grid-template-columns:1.1rem minmax(0,1fr) 0}.one .fig :is(.readers,.feet,.level){display:none}.one .towers{position:static;border:0;padding:.3rem 0 0}.one .well{height:1.9rem}.challenges{list-style:none;margin:0;padding:0;display:grid;gap:.5rem}.challenges > li{border:1.5px solid var(--line);border-radius:.7rem;padding:.1rem .8rem}.challenges > li.here{border-color:var(--edge);padding-bottom:.7rem}.task{display:flex;gap:.7rem;align-items:center;width:100%;text-align:left;border:0;background:none;padding:.3rem 0;font-weight:620;min-height:2.6rem;line-height:1.25}.mark{flex:none;width:1.6rem;height:1.6rem;border-radius:50%;border:2px solid var(--edge);display:grid;place-content:center;font-size:.85rem}.ticked .mark{background:var(--contribution);border-color:var(--contribution);color:var(--back);font-weight:800}.how{color:var(--quiet);font-size:.92rem;margin:0 0 .5rem}.challenges .told{margin:0 0 .5rem;font-size:.95rem}.challenges .told:empty{display:none}.challenges .slide{grid-template-columns:minmax(0,1fr) auto}.challenges .answered :is(.question,.beside),.more{display:none}.challenges .heap svg{max-height:6rem}table{border-collapse:collapse;width:100%;font-size:.92rem;margin:0 0 .6rem}table :is(th,td){text-align:right;padding:.12rem .3rem;border-top:1px solid var(--line);font-weight:400}thead :is(th,td){font-size:.78rem;font-weight:600;vertical-align:bottom;line-height:1.15;border:0}.board{margin:.3rem 0 .8rem}.ending{display:grid;grid-template-columns:minmax(0,1fr);gap:.8rem}.picture svg{width:100%;height:auto;display:block}.story .ending .share{flex-wrap:wrap}.share input{flex:1 1 9rem;min-width:9rem;border:1px solid var(--line);background:none;border-radius:.4rem;min-height:2.2rem;padding:0 .5rem}.can h3{margin:.3rem 0 .2rem;font-size:1.1rem}.can ul{margin:0;padding-left:1.1rem}.doors{list-style:none;margin:0;padding:0;display:grid;gap:.7rem;grid-template-columns:repeat(auto-fit,minmax(min(13rem,100%),1fr))}.doors a{display:grid;gap:.2rem;height:100%;align-content:start;padding:.7rem .9rem;border:1.5px solid var(--edge);border-radius:.7rem;color:inherit;text-decoration:none}.doors b{color:var(--link)}.doors a:hover{background:var(--box)}a.go{display:inline-grid;place-content:center;text-decoration:none}.body[data-step=\"hand\"]:not(.all) .formula .line:not(.ratio){display:none}.board th:first-child{text-align:left}.fields{display:grid;gap:.35rem;margin-bottom:.6rem}.fields label{display:grid;grid-template-columns:4.8rem 6rem 1fr;gap:.6rem;align-items:center;font-weight:700}.fields input{border:1.5px solid var(--edge);border-radius:.4rem;background:var(--back);min-height:2.3rem;padding:0 .6rem;width:100%}.says{font-weight:600;font-size:.88rem;line-height:1.2}.says.right{color:var(--contribution)}.by-hand > .how{margin-top:.5rem}@container ten (min-width: 64rem){.body{grid-template-columns:minmax(19rem,22rem) minmax(0,1fr);grid-template-rows:auto 1fr;align-items:start}.figure{grid-column:2;grid-row:1 / span 2;position:sticky;top:.8rem}.then{grid-column:1}}@container ten (max-width: 46rem){.steps{padding-bottom:.1rem}.steps .name{display:none}.steps a{text-align:center;padding:.2rem 0 .3rem}.steps a .n{margin:0}.panel h2{font-size:1.25rem;margin-bottom:.3rem}.panel p{margin-bottom:.4rem}.ask{padding:.45rem .6rem}.text{font-size:.95rem;line-height:1.4}.options button{min-height:2.2rem}.slide{gap:.5rem}.slide .go{padding-inline:.6rem}}@media (max-width: 46rem){.engines{grid-template-columns:1fr;gap:.4rem}.one{padding:.1rem .6rem .25rem .2rem}.one h3{margin-bottom:.05rem;font-size:.95rem}.one .ndcg b{font-size:1.4rem}.body .one .fig[data-shows]{--row:1.9rem !important}.one .fig :is(.strip,canvas){display:none}.one .fig .card.card{height:1.75rem}.one .grab .title{font-size:.84rem}.one .rank .i{align-self:start;padding-top:.15rem}.one .well{height:.8rem}.one .towers{padding-top:.15rem}.one .block .v{display:none !important}:is([data-step=\"choose\"],[data-step=\"play\"]) .panel h2{position:absolute;clip-path:inset(50%);margin:0}}@media (min-width: 46.01rem){[data-step=\"choose\"] .text .wide.wide{display:inline}}@container ten (max-width: 46rem){.wide{display:none}.known:not(.all,[data-step=\"hand\"]) .text,.known:not(.all) .answered .question,.known:not(.all,[data-step=\"add\"]) .formula .line:not(.ratio),[data-step=\"play\"]:not(.all) .formula,[data-step=\"hand\"]:not(.all) .formula,.story .blind .feet,.body:not(.all) .board{display:none}.more{display:revert}.story .turn{margin:.35rem 0;gap:.4rem;flex-wrap:nowrap}.story .turn button{padding-inline:.6rem;font-size:.9rem;min-height:2.2rem;white-space:nowrap}.figure > .fig[data-shows~=\"lit\"]{--row:3.2rem}.story .grab .title{font-size:.84rem}.figure > .fig[data-shows~=\"lit\"] .card{height:1.9rem}.figure > .fig[data-shows~=\"lit\"] .rank{grid-template-rows:1.9rem 1fr}.figure > .fig[data-shows~=\"lit\"] .rank .strip{height:1.15rem}.figure > .fig[data-shows~=\"lit\"] .rank .term{padding-top:0}[data-step=\"hand\"] .fig :is(.strip,.readers,.term,canvas){display:none}[data-step=\"hand\"] .fig.fig.fig{--row:2.15rem}.challenges{display:flex;flex-wrap:wrap;gap:.3rem .5rem}.challenges > li:not(.here){border:0;padding:0}.challenges > li:not(.here) .task > :nth-child(2){position:absolute;clip-path:inset(50%)}.challenges > li.here{order:1;flex:1 0 100%;padding:0 .6rem;border:0;border-top:1px solid var(--line);border-radius:0}.task{min-height:2.2rem;padding:0}.challenges .how{margin-bottom:.2rem}.challenges .heap svg{max-height:4.6rem}.fields{grid-template-columns:repeat(3,minmax(0,1fr));gap:.4rem}.fields label{grid-template-columns:1fr;gap:.1rem;align-content:start}.by-hand table :is(th,td){padding-block:.02rem}}.put .p::after{content:\"put in ↑\"}";
const log=(x,base)=>base===2?Math.log2(x):Math.log(x)/Math.log(base);
const PARAMETERS={"base": {"label": "base of the logarithm", "value": 2, "above": 1, "below": 1000000000.0, "values": [2, 2.718281828459045, 10]}, "p": {"label": "patience p", "value": 0.8, "above": 0, "below": 1, "values": [0.5, 0.8, 0.9]}};
const CHOICES={gain:{title:"Gain: what a grade is worth",options:{"linear":{label:"the grade",text:(v)=>`g`,latex:(v)=>`${v.g}`,parameters:[],of:(g)=>g},"exponential":{label:"2^grade − 1",text:(v)=>`2^g - 1`,latex:(v)=>`2^{${v.g}}-1`,spelled:true,parameters:[],of:(g)=>g < 1 ? Math.expm1(g * Math.LN2) : 2 ** g - 1},"binary":{label:"1 if above 0",text:(v)=>`1 if g > 0`,latex:(v)=>`[${v.g} > 0]`,parameters:[],of:(g)=>g > 0 ? 1 : 0}}},discount:{title:"Discount: what a rank is worth",options:{"modern":{label:"1 / log(i + 1)",text:(v)=>`1/${v.log}(i+1)`,under:(v)=>`\\log_{${v.base}} ${v.next}`,parameters:["base"],of:(i,{base})=>1 / log(i + 1, base)},"original":{label:"1 / max(1, log i)",text:(v)=>`1/max(1, ${v.log}(i))`,under:(v)=>`\\log_{${v.base}} ${v.i}`,starts:"base",parameters:["base"],of:(i,{base})=>1 / Math.max(1, log(i, base))},"reciprocal":{label:"1 / i",text:(v)=>`1/i`,under:(v)=>`${v.i}`,parameters:[],of:(i)=>1 / i},"geometric":{label:"p^(i − 1)",text:(v)=>`${v.p}^(i-1)`,times:(v)=>`${v.p}^{${v.before}}`,parameters:["p"],of:(i,{p})=>p ** (i - 1)},"none":{label:"none",text:(v)=>`none`,parameters:[],of:(i)=>1}}},ideal:{title:"Ideal list: whose documents it holds",options:{"judged":{label:"all judged",text:(v)=>`over all judged`,parameters:[]},"returned":{label:"the returned list",text:(v)=>`over the returned list`,parameters:[]}}},empty:{title:"Nothing relevant: what a query without any gain counts",options:{"0":{label:"0",text:(v)=>`0`,parameters:[]},"1":{label:"1",text:(v)=>`1`,parameters:[]},"skip":{label:"leave out",text:(v)=>`left out`,parameters:[]},"raise":{label:"an error",text:(v)=>`an error`,parameters:[]}}},ties:{title:"Equal scores: how they count",options:{"average":{label:"mean over all orders",text:(v)=>`ties averaged`,parameters:[]},"order":{label:"in the order shown",text:(v)=>`ties in the order given`,parameters:[],of:(place,grade,name)=>place},"reverse":{label:"in reverse order",text:(v)=>`ties in reverse order`,parameters:[],of:(place,grade,name)=>-place},"best":{label:"best first",text:(v)=>`ties best first`,parameters:[],of:(place,grade,name)=>-grade},"worst":{label:"worst first",text:(v)=>`ties worst first`,parameters:[],of:(place,grade,name)=>grade},"id":{label:"by name, ascending",text:(v)=>`ties by ascending id`,parameters:[],of:(place,grade,name)=>name},"id-descending":{label:"by name, descending",text:(v)=>`ties by descending id`,parameters:[],of:(place,grade,name)=>-name}}}};


function gains(grades, { gain, table }) {
if (gain==="table") return grades.map((grade)=>table[grade] ?? 0);
return grades.map((grade)=>CHOICES.gain.options[gain].of(grade));
}
function discounts(n, convention) {
return ranks(n).map((rank)=>CHOICES.discount.options[convention.discount].of(rank, convention));
}
function dcg(g, d, k) {
return discounted(g.slice(0, k), d);
}
function idcg(g, d, k) {
const best = bestFirst(g);
return discounted(best.slice(0, k), d);
}
function ratio(dcg, idcg, empty = 0) {
if (idcg===0) return typeof empty==="number" ? empty : NaN;
const value = dcg / idcg;
return value > 1 - 2e-15&&value < 1 + 1e-12 ? 1 : value;
}
function discounted(g, d) {
return total(g.map((gain, i)=>gain * d[i]));
}
function total(x) {
return x.reduce((sum, value)=>sum + value, 0);
}
function bestFirst(g) {
return [...g].sort((a, b)=>b - a);
}
function ranks(n) {
return Array.from({ length: n }, (_, i)=>i + 1);
}
function tiedGroups(tied, n) {
const groups = [];
for (let i = 0; i < n; i++) {
if (i&&tied[i]) groups.at(-1)[1] = i + 1;
else groups.push([i, i + 1]);
}
return groups;
}
function countedOrder(names, g, tied, ties) {
const order = names.map((_, i)=>i), { of } = CHOICES.ties.options[ties];
if (!of) return order;
const byName = [...names].sort((a, b)=>(a < b ? -1 : 1));
const key = (i)=>of(i, g[i], byName.indexOf(names[i]));
return tiedGroups(tied, names.length).flatMap(([from, to])=>order.slice(from, to).sort((a, b)=>key(a) - key(b)||a - b));
}
function weights(d, tied, ties, order) {
const w = new Array(order.length).fill(0);
if (ties!=="average") {
order.forEach((place, rank)=>(w[place] = d[rank]));
return w;
}
for (const [from, to] of tiedGroups(tied, order.length)) {
const mean = to - from > 1 ? total(d.slice(from, to)) / (to - from) : d[from];
w.fill(mean, from, to);
}
return w;
}
function evaluate(list, convention) {
const { ideal, k, ties, empty } = convention;
const g = gains(list.grades, convention);
const pool = ideal==="judged" ? [...list.grades, ...list.missed] : list.grades;
const poolGains = gains(pool, convention);
const n = Math.max(g.length, poolGains.length);
const d = discounts(n, convention);
const order = countedOrder(list.names, g, list.tied, ties);
const upTo = (cutoff)=>{
const counting = d.map((value, i)=>(i < cutoff ? value : 0));
const w = weights(counting, list.tied, ties, order);
const gained = total(order.map((place)=>g[place] * w[place]));
const best = idcg(poolGains, d, cutoff);
const random = (g.length ? total(g) / g.length : 0) * total(counting.slice(0, g.length));
return {
k: cutoff, weights: w,
cg: cgUpTo(g, list.tied, ties, order, cutoff),
dcg: gained,
idcg: best,
ndcg: ratio(gained, best, empty),
random: ratio(random, best, empty),
best: ratio(dcg(bestFirst(g), d, cutoff), best, empty),
worst: ratio(dcg(bestFirst(g).reverse(), d, cutoff), best, empty),
};
};
const cut = Math.min(k ?? n, n);
return {
...upTo(cut), k: k ?? n, n, gains: g, discounts: d, order,
idealGrades: pool.map((grade, i)=>[grade, poolGains[i], i]).sort((a, b)=>b[1] - a[1]||a[2] - b[2]),
atEachK: ranks(n).map(upTo),
};
}
function cgUpTo(g, tied, ties, order, cutoff) {
const counting = order.map((_, i)=>(i < cutoff ? 1 : 0));
const w = weights(counting, tied, ties, order);
return total(order.map((place)=>g[place] * w[place]));
}
function afterSwap(list, convention, i, j) {
const names = [...list.names], grades = [...list.grades];
for (const all of [names, grades]) [all[i], all[j]] = [all[j], all[i]];
return evaluate({ ...list, names, grades }, convention).ndcg;
}
function ofLibraries(list, k, libraries) {
return libraries.map(({ name, whom, ...choices })=>{
const cutoff = Math.min(k ?? Infinity, choices.k ?? Infinity);
const convention = { ...choices, k: Number.isFinite(cutoff) ? cutoff : null };
return { name, whom, convention, ndcg: evaluate(list, convention).ndcg };
});
}

function fixed(x, decimals = 3) {
if (Number.isNaN(x)) return "-";
if (Math.abs(x) >= 1e21) return `${BigInt(x)}${decimals ? `.${"0".repeat(decimals)}` : ""}`;
const scaled = x * 2 ** (decimals + 1);
const isHalf = Number.isInteger(scaled)&&scaled % 2!==0;
const text = x.toFixed(decimals);
if (!isHalf||Number(text.at(-1)) % 2===0) return text;
const other = (x - 10 ** -decimals / 2).toFixed(decimals);
return Number(other.at(-1)) % 2===0 ? other : text;
}
function short(x, decimals = 3) {
const text = fixed(x, decimals);
return text.includes(".") ? text.replace(/0+$/, "").replace(/\.$/, "") : text;
}
function value(x, empty) {
return Number.isNaN(x) ? { skip: "left out", raise: "an error" }[empty] ?? "undefined" : fixed(x);
}
function signed(x) {
const text = fixed(Math.abs(x));
return Number(text)===0 ? "±0.000" : `${x > 0 ? "+" : "−"}${text}`;
}
function baseName(base) {
return base===Math.E ? "e" : String(Number(base.toPrecision(6)));
}


function h(tag, attributes = {}, ...children) {
const element = document.createElement(tag);
for (const [name, given] of Object.entries(attributes)) set(element, name, given);
element.append(...children.flat().filter((child)=>child!==null&&child!==undefined));
return element;
}
function set(element, name, given) {
if (name.startsWith("on")) given&&element.addEventListener(name.slice(2), given);
else if (given===null||given===false) element.removeAttribute(name);
else element.setAttribute(name, given===true ? "" : given);
}
function button(label, glyph, act, key) {
return push(h("span", { "aria-hidden": "true" }, glyph), act, key, { "aria-label": label });
}
function push(words, act, key, attributes = {}) {
return h("button", { type: "button", onclick: act, "data-key": key, ...attributes }, words);
}
function enable(element, enabled) {
set(element, "aria-disabled", enabled ? null : "true");
}
function text(element, words) {
if (element.textContent!==words) element.textContent = words;
}
const calm = ()=>matchMedia("(prefers-reduced-motion: reduce)").matches;
function glide(rows, change) {
const before = new Map(rows().map((row)=>[row, row.getBoundingClientRect()]));
change();
if (calm()) return;
for (const row of rows()) {
const was = before.get(row);
if (!was) continue;
const now = row.getBoundingClientRect();
const x = was.left - now.left, y = was.top - now.top;
if (x||y) row.animate([{ transform: `translate(${x}px, ${y}px)` }, { transform: "none" }], { duration: 180, easing: "ease-out" });
}
}
function followTheme(host, frame, changed = ()=>{}) {
const machine = matchMedia("(prefers-color-scheme: dark)");
const apply = ()=>{
const named = host.getAttribute("theme") ?? document.documentElement.dataset.theme;
frame.classList.toggle("dark", named ? named==="dark" : machine.matches);
changed();
};
const watcher = new MutationObserver(apply);
watcher.observe(document.documentElement, { attributes: true, attributeFilter: ["data-theme"] });
machine.addEventListener("change", apply);
apply();
return ()=>{
watcher.disconnect();
machine.removeEventListener("change", apply);
};
}
class Figure extends HTMLElement {
connectedCallback() {
if (!this.shadowRoot) this.begin();
this.leaveTheme = followTheme(this, this.frame, ()=>this.themed());
}
disconnectedCallback() {
this.leaveTheme();
}
themed() {}
stand(frame) {
this.frame = frame;
this.attachShadow({ mode: "open" }).append(h("style", {}, STYLE), frame);
}
}
function whileHeld(follow, letGo = ()=>{}) {
const done = ()=>{
removeEventListener("pointermove", follow);
for (const end of ["pointerup", "pointercancel"]) removeEventListener(end, done);
letGo();
};
addEventListener("pointermove", follow);
for (const end of ["pointerup", "pointercancel"]) addEventListener(end, done);
}


const drawn = (inside)=>`<svg viewBox="0 0 24 24" width="24" height="24" aria-hidden="true" fill="none" stroke="currentColor" stroke-width="1.7" stroke-linejoin="round" stroke-linecap="round">${inside}</svg>`;
const ICONS = Object.entries({
steps: '<path d="M7 9h9l2 10.5H5z"/><path d="M8 9a3.6 3.6 0 0 1 7 0M11.5 5V3.5M17 12l4-3M9 13v3M12 13v3"/>',
vinegar: '<circle cx="12" cy="12" r="8.5"/><circle cx="12" cy="12" r="6"/><path d="M12 6v12M6.8 9l10.4 6M6.8 15l10.4-6"/>',
limescale: '<path d="M3 20l5-12 3 6 3-9 7 15z"/><path d="M8 8l1 12M14 5l0 15"/>',
prices: '<path d="M3.5 12V4h8l9 9-8 8z"/><circle cx="8" cy="8.5" r="1.3"/><path d="M10.5 13.5l3-3"/>',
steam: '<path d="M4 16V6h5v5h9v5zM18 11V6h-3v5M3 6h7"/><circle cx="7.5" cy="18" r="2"/><circle cx="15.5" cy="18" r="2"/><path d="M18 16l3 3"/>',
});
const iconOf = (title)=>{
const found = ICONS.find(([word])=>title.toLowerCase().includes(word));
return found ? drawn(found[1]) : "";
};
const KETTLE = {
steps: { title: "Descale a kettle in five steps", grade: 3 },
vinegar: { title: "Vinegar or citric acid?", grade: 2 },
limescale: { title: "Where limescale comes from", grade: 1 },
prices: { title: "Kettles: all prices", grade: 0 },
steam: { title: "Scale models of steam engines", grade: 0 },
};
const A = ["steps", "steam", "limescale", "prices", "vinegar"];
const B = ["prices", "steps", "vinegar", "limescale", "steam"];
const marks = (grade, most = 3)=>(grade > 5||!Number.isInteger(grade)
? `<span class="pips number">${grade}</span>`
: `<span class="pips" aria-hidden="true">${Array.from({ length: Math.max(most, grade) }, (_, i)=>`<i class="${i < grade ? "on" : ""}"></i>`).join("")}</span>`);
const PLAIN = { gain: "linear", table: {}, discount: "modern", base: 2, p: 0.8, ideal: "judged", ties: "order", empty: 0 };
function score(pages, list, { missed = [], ideal = null, k = null, convention = "" } = {}) {
const preset = typeof convention==="object" ? convention : PRESETS.find((one)=>one.name===convention);
const { name, whom, ...chosen } = preset ?? {};
const how = { ...PLAIN, ...chosen, k, ...(ideal ? { ideal } : {}) };
const grades = list.map((id)=>pages[id].grade);
const all = evaluate({ names: list, grades, tied: grades.map(()=>false), missed: missed.map((id)=>pages[id].grade) }, how);
const known = [...list, ...missed];
const term = (grade, gain, rank, id)=>({ id, grade, gain, rank: rank + 1, share: all.discounts[rank], counts: rank < all.k, value: rank < all.k ? gain * all.discounts[rank] : 0 });
return {
...all, grades,
terms: grades.map((grade, i)=>term(grade, all.gains[i], i, list[i])),
best: all.idealGrades.map(([grade, gain, place], i)=>term(grade, gain, i, known[place])),
};
}
function orders(list) {
if (list.length < 2) return [list];
return list.flatMap((first, i)=>orders([...list.slice(0, i), ...list.slice(i + 1)]).map((rest)=>[first, ...rest]));
}


const READERS = 100;
const STEP = 620, SPREAD = 420, WALK = 430;
const ease = (t)=>(t < 0 ? 0 : t > 1 ? 1 : t < 0.5 ? 2 * t * t : 1 - (2 - 2 * t) ** 2 / 2);
class Crowd {
constructor(canvas, strips) {
this.canvas = canvas;
this.strips = strips;
this.late = Array.from({ length: READERS }, (_, j)=>((j * 61) % READERS) / READERS);
this.state = { shares: [], lit: null, guess: null, handles: false, cut: Infinity, focus: -1 };
this.time = Infinity;
this.flash = [];
new ResizeObserver(()=>this.draw()).observe(canvas.parentElement);
}
set(state) {
const before = this.state.lit;
this.state = { ...this.state, ...state };
if (before&&this.state.lit) this.state.lit.forEach((grade, i)=>{ if (grade!==before[i]&&grade > 0) this.flash[i] = performance.now(); });
this.run();
}
glide(shares, from) {
if (!calm()) this.from = { shares: from, at: performance.now() };
this.set({ shares });
}
walk() {
if (calm()) return 0;
this.begun = performance.now();
this.time = 0;
this.run();
return this.state.shares.length * STEP + SPREAD;
}
arrival(rank) {
return rank * STEP + SPREAD / 2 + WALK;
}
run() {
if (this.running) return;
this.running = true;
const tick = ()=>{
const now = performance.now();
if (this.time!==Infinity) {
this.time = now - this.begun;
if (this.time > this.state.shares.length * STEP + SPREAD + WALK) this.time = Infinity;
}
this.draw();
if (this.time!==Infinity||this.from||(!calm()&&this.flash.some((at)=>now - at < 450))) requestAnimationFrame(tick);
else this.running = false;
};
tick();
}
geometry() {
const box = this.canvas.parentElement.getBoundingClientRect();
return this.strips().map((strip)=>{
const { left, top, width, height } = strip.getBoundingClientRect();
const [rows, dx, dy] = [2, 4, 5].map((count)=>{
const y = Math.min((height - 4) / count, 13), x = Math.min((width - 12) / (READERS / count), y * 2.2);
return [count, x, Math.min(y, x * 1.5)];
}).sort((a, b)=>fits(b) - fits(a))[0];
return { x: left - box.left + 6, y: top - box.top + (height - rows * dy) / 2, rows, dx, dy, pitch: Math.max(0, Math.min(dx, dy)), width: (READERS / rows) * dx, height: rows * dy };
});
}
draw() {
const { canvas } = this, host = canvas.parentElement, ratio = Math.min(devicePixelRatio||1, 2);
const width = host.clientWidth, height = host.clientHeight;
if (!width||canvas.hidden||!canvas.getClientRects().length) return;
if (canvas.width!==Math.round(width * ratio)) canvas.width = Math.round(width * ratio);
if (canvas.height!==Math.round(height * ratio)) canvas.height = Math.round(height * ratio);
const c = canvas.getContext("2d"), css = getComputedStyle(canvas);
const colour = Object.fromEntries(["discount", "contribution", "text", "quiet", "line", "back"].map((name)=>[name, css.getPropertyValue(`--${name}`).trim()]));
c.setTransform(ratio, 0, 0, ratio, 0, 0);
c.clearRect(0, 0, width, height);
const now = performance.now(), { lit, cut, guess, handles, focus } = this.state;
let { shares } = this.state;
if (this.from) {
const t = ease((now - this.from.at) / 800), { shares: before } = this.from;
shares = shares.map((share, i)=>share * t + (before[i] ?? 0) * (1 - t));
if (t >= 1) this.from = null;
}
const strips = this.geometry(), n = Math.min(strips.length, shares.length);
if (!n) return;
const stay = shares.slice(0, n).map((share)=>Math.round(share * READERS));
const slot = (i, j)=>[strips[i].x + (Math.floor(j / strips[i].rows) + 0.5) * strips[i].dx, strips[i].y + ((j % strips[i].rows) + 0.5) * strips[i].dy];
const since = (i, j)=>this.time - i * STEP - this.late[j] * SPREAD;
for (let i = 0; i < n; i++) {
const { pitch } = strips[i], grade = lit?.[i] ?? 0, dim = i >= cut ? 0.25 : 1;
const flash = this.flash[i]&&!calm() ? Math.max(0, 1 - (now - this.flash[i]) / 450) : 0;
for (let j = 0; j < READERS; j++) {
const [x, y] = slot(i, j);
c.globalAlpha = 0.8 * dim;
if (j >= stay[i]||since(i, j) < WALK) {
c.fillStyle = colour.line;
c.fillRect(x - 0.8, y - 0.8, 1.6, 1.6);
continue;
}
const pop = this.time===Infinity ? flash : Math.max(0, 1 - (since(i, j) - WALK) / 380);
if (!lit||i >= cut) {
c.globalAlpha = dim;
dot(c, x, y, pitch * 0.34, colour.discount);
} else if (grade > 0) {
c.globalAlpha = Math.min(1, 0.1 + 0.09 * Math.min(grade, 3) + 0.3 * pop);
dot(c, x, y, pitch * (0.34 + 0.1 * Math.min(grade, 3) + 0.3 * pop), colour.contribution);
c.globalAlpha = 1;
dot(c, x, y, pitch * (0.19 + 0.07 * Math.min(grade, 3) + 0.12 * pop), colour.contribution);
} else {
ring(c, x, y, pitch * 0.26, colour.discount);
}
}
}
c.globalAlpha = 1;
if (this.time!==Infinity) {
for (let i = 0; i < n; i++) {
for (let j = 0; j < stay[i]; j++) {
const t = since(i, j) / WALK;
if (t < 0||t > 1) continue;
const [x, y] = slot(i, j), [x0, y0] = i ? slot(i - 1, j) : [x, -14];
dot(c, x0 + (x - x0) * ease(t) + Math.sin(t * 9 + j) * 1.5, y0 + (y - y0) * ease(t), strips[i].pitch * 0.36, colour.discount);
}
for (let j = stay[i]; i&&j < stay[i - 1]; j++) {
const t = since(i, j) / (WALK * 1.6);
if (t < 0||t > 1) continue;
const [x, y] = slot(i - 1, j);
c.globalAlpha = 1 - t;
dot(c, x + 46 * ease(t), y + 16 * t, strips[i].pitch * 0.34, colour.quiet);
c.globalAlpha = 1;
}
}
}
const edge = (i, share)=>strips[i].x + share * strips[i].width;
const stairs = (values)=>{
c.beginPath();
values.slice(0, n).forEach((share, i)=>{
const x = edge(i, share);
c.moveTo(x, strips[i].y - 3);
c.lineTo(x, strips[i].y + strips[i].height + 3);
});
c.stroke();
};
c.lineWidth = 2;
c.strokeStyle = colour.discount;
if (this.time===Infinity) stairs(shares);
if (guess) {
c.strokeStyle = colour.text;
c.setLineDash([4, 3]);
stairs(guess);
c.setLineDash([]);
}
for (let i = 1; handles&&i < n; i++) {
const x = edge(i, shares[i]), y = strips[i].y + strips[i].height / 2;
c.fillStyle = colour.discount;
c.beginPath();
c.roundRect(x - 5, y - 12, 10, 24, 5);
c.fill();
c.strokeStyle = i===focus ? colour.text : colour.back;
c.beginPath();
if (i===focus) c.roundRect(x - 8, y - 15, 16, 30, 8);
else { c.moveTo(x, y - 5); c.lineTo(x, y + 5); }
c.stroke();
}
}
}
const fits = ([rows, dx, dy])=>Math.min(dx, dy) * (rows===2 ? 0.7 : 1);
function dot(c, x, y, r, colour) {
c.fillStyle = colour;
c.beginPath();
c.arc(x, y, Math.max(0, r), 0, 7);
c.fill();
}
function ring(c, x, y, r, colour) {
c.strokeStyle = colour;
c.lineWidth = 1;
c.beginPath();
c.arc(x, y, Math.max(0, r), 0, 7);
c.stroke();
}


class Towers {
constructor(pages) {
this.pages = pages;
this.yours = h("div", { class: "tower yours" });
this.best = h("div", { class: "tower best" });
this.vessel = h("div", { class: "vessel" });
this.value = h("b", { class: "value" });
this.level = h("div", { class: "level" }, this.value);
this.yourFoot = h("div", { class: "foot c" });
this.bestFoot = h("div", { class: "foot p" });
this.well = h("div", { class: "well" }, this.vessel, this.yours, this.best, this.level);
this.element = h("div", { class: "towers", role: "img" }, this.well, h("div", { class: "feet" }, this.yourFoot, this.bestFoot));
}
show(result, shows, scale) {
this.element.hidden = !shows.has("towers");
const ideal = shows.has("ideal"), ndcg = shows.has("ndcg"), hidden = shows.has("blind");
this.stack(this.yours, result.terms, scale);
this.stack(this.best, ideal ? result.best : [], scale);
this.element.classList.toggle("has-ideal", ideal);
this.element.classList.toggle("has-ndcg", ndcg);
this.well.style.setProperty("--dcg", result.dcg / scale);
this.well.style.setProperty("--idcg", result.idcg / scale);
this.value.textContent = ndcg ? fixed(result.ndcg) : "";
this.yourFoot.replaceChildren("DCG ", h("b", {}, fixed(result.dcg)));
this.bestFoot.replaceChildren(...(ideal ? ["IDCG ", h("b", {}, fixed(result.idcg))] : []));
const said = [`This order collects ${fixed(result.dcg)}.`, ideal ? `The best order collects ${fixed(result.idcg)}.` : "", ndcg ? `NDCG is ${fixed(result.ndcg)}.` : ""];
this.element.setAttribute("aria-label", hidden ? "Two towers, their numbers hidden until you have found them." : `Two towers. ${said.join(" ")}`);
}
stack(tower, terms, scale) {
const old = new Map([...tower.children].map((node)=>[node.dataset.of, node]));
let from = 0;
for (const { id, grade, value } of terms) {
let node = old.get(id);
old.delete(id);
if (!node) {
node = h("div", { class: "block", "data-of": id }, h("span", { class: "icon" }), h("span", { class: "v" }));
node.firstChild.innerHTML = iconOf(this.pages[id].title)||marks(grade);
node.style.setProperty("--from", from);
node.style.setProperty("--v", 0);
tower.append(node);
node.getBoundingClientRect();
}
node.style.setProperty("--from", from);
node.style.setProperty("--v", value / scale);
node.classList.toggle("small", value / scale < 0.07);
node.classList.toggle("slim", value / scale < 0.14);
node.classList.toggle("none", !value);
node.lastChild.textContent = fixed(value, 2);
from += value / scale;
}
for (const node of old.values()) node.remove();
}
fillInTurn(terms, arrival) {
const at = new Map(terms.map(({ id }, i)=>[id, i]));
for (const node of this.yours.children) {
node.animate([{ opacity: 0, translate: "0 -40px" }, { opacity: 1, translate: "0 0" }], { duration: 450, delay: arrival(at.get(node.dataset.of) ?? 0), fill: "backwards", easing: "ease-out" });
}
}
}

const SHOWN = {
readers: ["readers", "lit"], cg: ["sum"], dcg: ["readers", "lit", "terms", "towers"],
ndcg: ["readers", "lit", "terms", "towers", "ideal", "ndcg"],
};
class Ranking {
constructor({ pages, list, missed = [], name = "your list", shows = [], k = null, ideal = null, convention = "", frozen = false, changed = ()=>{} }) {
Object.assign(this, { pages, name, changed, frozen, k, ideal, convention, list: [...list], missed: [...missed], shows: new Set(shows), shares: null });
this.most = Math.max(3, ...Object.values(pages).map(({ grade })=>grade));
this.ranks = h("div", { class: "ranks" });
this.cards = h("ol", { class: "cards", "aria-label": `Pages of ${name}, best rank first` });
this.canvas = h("canvas", { "aria-hidden": "true" });
this.stage = h("div", { class: "stage" }, h("div", { class: "street" }), this.ranks, this.canvas, this.cards);
this.towers = new Towers(pages);
this.heads = h("div", { class: "heads", "aria-hidden": "true" }, h("span"), h("span", { class: "g" }, "page · grade"), h("span", { class: "d" }), h("span", { class: "c" }, "collected"));
this.formula = h("div", { class: "formula" });
this.shelf = h("div", { class: "shelf" });
this.said = h("p", { class: "unseen", role: "status", "aria-live": "polite" });
this.element = h("div", { class: "fig" }, h("div", { class: "left" }, this.heads, this.stage, this.shelf), this.towers.element, this.formula, this.said);
this.crowd = new Crowd(this.canvas, ()=>[...this.ranks.querySelectorAll(".strip")]);
this.nodes = new Map();
this.pullable();
this.show();
}
reveal(shows, change = {}) {
this.shows = new Set(shows);
this.set(change);
}
set(change) {
Object.assign(this, change);
this.show();
}
move(id, to, focus = false) {
const from = this.list.indexOf(id), last = this.list.length - 1;
to = Math.max(0, Math.min(last, to));
if (this.frozen||from < 0) return;
if (from===to) {
if (focus) this.said.textContent = `${this.pages[id].title} is already ${to ? "last" : "first"}.`;
return;
}
this.list.splice(from, 1);
this.list.splice(to, 0, id);
this.show();
if (focus) this.focusOn(id);
this.say(`${this.pages[id].title}: rank ${to + 1} of ${this.list.length}.`);
this.element.dispatchEvent(new CustomEvent("ndcg-moved", { bubbles: true, composed: true }));
this.changed({ kind: "move", id });
}
take(id) {
this.list = this.list.filter((other)=>other!==id);
this.missed = [...this.missed, id];
this.point(null);
this.show();
this.shelf.querySelector("button")?.focus({ preventScroll: true });
this.say(`${this.pages[id].title}: taken out of the list.`);
this.changed({ kind: "take", id });
}
put(id, to = 0) {
this.missed = this.missed.filter((other)=>other!==id);
this.list.splice(to, 0, id);
this.show();
this.say(`${this.pages[id].title}: put at rank ${to + 1}.`);
}
focusOn(id) {
this.nodes.get(id).querySelector(".grab").focus({ preventScroll: true });
}
say(what) {
const { result, shows } = this;
const now = shows.has("blind") ? "" : shows.has("ndcg") ? `NDCG ${fixed(result.ndcg)}.` : shows.has("terms") ? `DCG ${fixed(result.dcg)}.` : shows.has("sum") ? `CG ${short(result.cg)}.` : "";
clearTimeout(this.saying);
this.saying = setTimeout(()=>text(this.said, `${what} ${now}`), 120);
}
show() {
const { list, shows, pages, k } = this, n = list.length;
const r = this.result = score(pages, list, this);
const own = this.shares ?? r.terms.map(({ share })=>share), held = this.element.getRootNode().activeElement;
this.element.dataset.shows = [...shows].join(" ");
this.element.style.setProperty("--n", n);
this.element.classList.toggle("frozen", this.frozen);
this.element.classList.toggle("blind", shows.has("blind"));
while (this.ranks.children.length > n) this.ranks.lastChild.remove();
while (this.ranks.children.length < n) this.ranks.append(this.rank(this.ranks.children.length));
r.terms.forEach((term, i)=>this.showRank(this.ranks.children[i], term, own[i]));
for (const [id, node] of this.nodes) if (!list.includes(id)) { node.remove(); this.nodes.delete(id); }
list.forEach((id, i)=>{
if (!this.nodes.has(id)) {
this.nodes.set(id, this.card(id));
this.cards.append(this.nodes.get(id));
}
const node = this.nodes.get(id), { title, grade } = pages[id], counts = r.terms[i].counts;
node.style.setProperty("--i", i);
node.classList.toggle("after", !counts);
const more = [shows.has("readers")&&`${Math.round(own[i] * 100)} of 100 readers get here.`, shows.has("terms")&&!shows.has("blind")&&`Collected: ${fixed(r.terms[i].value)}.`, !this.frozen&&"Arrow keys move it."];
node.querySelector(".grab").setAttribute("aria-label", [`${title}. Grade ${grade}. Rank ${i + 1} of ${n}.`, ...more.filter(Boolean)].join(" "));
enable(node.querySelector(".up"), i > 0);
enable(node.querySelector(".down"), i < n - 1);
node.querySelector(".out").hidden = !shows.has("throw")||this.frozen||n < 2;
});
if (list.some((id, i)=>this.cards.children[i]!==this.nodes.get(id))) {
for (const id of list) this.cards.append(this.nodes.get(id));
if (held&&this.cards.contains(held)) held.focus({ preventScroll: true });
}
this.canvas.hidden = !shows.has("readers");
this.heads.children[2].textContent = shows.has("draw") ? "◂ pull the edge ▸" : "× readers who arrive";
this.crowd.set({ shares: own, lit: shows.has("lit") ? r.gains : null, cut: k ?? Infinity, handles: shows.has("draw") });
this.showShelf();
const tallest = score(pages, [...list, ...this.missed], { ...this, missed: [], k: null }).idcg;
this.towers.show(r, shows, (tallest||1) * 1.24);
this.showFormula(r);
}
rank(i) {
const row = h("div", { class: "rank" }, h("span", { class: "i" }, i + 1), h("span", { class: "strip" }),
h("span", { class: "readers" }, h("b"), h("span", {}, " of 100")), h("span", { class: "term" }));
if (i&&this.shows.has("draw")) {
const range = h("input", { type: "range", min: 0, max: 100, "aria-label": `Readers left at rank ${i + 1}, of 100` });
range.addEventListener("input", ()=>this.pull(i, range.value / 100));
range.addEventListener("focus", ()=>this.crowd.set({ focus: range.matches(":focus-visible") ? i : -1 }));
range.addEventListener("blur", ()=>this.crowd.set({ focus: -1 }));
row.querySelector(".strip").append(range);
}
row.addEventListener("pointerenter", ()=>this.point(this.list[i]));
row.addEventListener("pointerleave", ()=>this.point(null));
return row;
}
showRank(row, { gain, share, value, rank, counts }, own) {
row.classList.toggle("after", !counts);
row.classList.toggle("first-after", rank - 1===this.k);
row.classList.toggle("zero", !value);
row.querySelector(".readers b").textContent = Math.round(own * 100);
row.querySelector(".term").innerHTML = counts
? `<span class="times"><span class="g">${short(gain)}</span> <span class="op">×</span> <span class="d">${fixed(share)}</span></span><b class="c">${fixed(value)}</b>`
: "<small>not counted</small>";
const range = row.querySelector("input");
if (range&&!range.matches(":focus")) range.value = Math.round(own * 100);
}
card(id) {
const { title, grade } = this.pages[id];
const grab = h("button", { class: "grab", type: "button" });
grab.innerHTML = `<span class="icon">${iconOf(title)}</span><span class="title"></span>${marks(grade, this.most)}`;
grab.querySelector(".title").textContent = title;
const nudge = (by, name, sign)=>push(sign, ()=>this.move(id, this.list.indexOf(id) + by), null, { class: name, tabindex: -1, "aria-label": `${title}: one rank ${name}` });
const out = push("✕", ()=>this.take(id), null, { class: "out", "aria-label": `Hide ${title}`, title: "Hide this page" });
const node = h("li", { class: "card", "data-id": id }, grab, h("span", { class: "nudges" }, nudge(-1, "up", "▲"), nudge(1, "down", "▼")), out);
grab.addEventListener("keydown", (event)=>{
const by = { ArrowUp: -1, ArrowDown: 1, Home: -99, End: 99 }[event.key];
if (event.key==="Delete"&&this.shows.has("throw")&&this.list.length > 1) this.take(id);
if (!by||this.frozen||event.altKey||event.ctrlKey||event.metaKey) return;
event.preventDefault();
this.move(id, this.list.indexOf(id) + by, true);
});
grab.addEventListener("focus", ()=>this.point(id));
grab.addEventListener("blur", ()=>this.point(null));
node.addEventListener("pointerenter", ()=>this.point(id));
node.addEventListener("pointerleave", ()=>this.point(null));
this.draggable(node, grab, id);
return node;
}
point(id) {
for (const node of this.element.querySelectorAll(".pointed")) node.classList.remove("pointed");
this.element.classList.toggle("pointing", Boolean(id));
if (!id) return;
for (const node of [this.nodes.get(id), this.ranks.children[this.list.indexOf(id)], ...this.element.querySelectorAll(`[data-of="${id}"]`)]) node?.classList.add("pointed");
}
draggable(node, grab, id) {
grab.addEventListener("pointerdown", (event)=>{
for (const other of this.cards.querySelectorAll(".selected")) if (other!==node) other.classList.remove("selected");
node.classList.add("selected");
if (this.frozen||event.button||(event.pointerType==="touch"&&!event.target.closest(".icon"))) return;
const height = this.stage.clientHeight / this.list.length, from = event.clientY, start = this.list.indexOf(id) * height;
let dragging = false;
const follow = ({ clientY })=>{
if (!dragging&&Math.abs(clientY - from) < 4) return;
dragging = true;
node.classList.add("held");
const y = Math.max(-height * 0.3, Math.min(start + clientY - from, height * (this.list.length - 0.7)));
node.style.setProperty("--y", `${y}px`);
this.move(id, Math.round(y / height));
};
whileHeld(follow, ()=>{
node.classList.remove("held");
node.style.removeProperty("--y");
if (dragging) this.changed({ kind: "drop", id });
});
});
}
showShelf() {
const { missed, shows } = this;
this.shelf.hidden = !missed.length||!(shows.has("shelf")||shows.has("throw"));
if (this.shelf.hidden) return;
this.shelf.replaceChildren(h("span", { class: "label" }, shows.has("throw") ? "Hidden" : "Judged, not returned"), ...missed.map((id)=>{
const { title, grade } = this.pages[id];
const made = push("", ()=>{
this.put(id);
this.focusOn(id);
this.changed({ kind: "put", id });
}, null, { class: "put", "data-of": id, "aria-label": `${title}, grade ${grade}: put in at rank 1` });
made.innerHTML = `<span class="icon">${iconOf(title)}</span><span class="title"></span>${marks(grade, this.most)}<span class="p" aria-hidden="true"></span>`;
made.querySelector(".title").textContent = title;
made.addEventListener("pointerdown", (event)=>event.button||this.dragIn(id));
return made;
}));
}
dragIn(id) {
const told = this.changed;
let entered = false;
whileHeld(({ clientY })=>{
const { top, bottom, height } = this.stage.getBoundingClientRect();
if (!entered&&(clientY < top - 10||clientY > bottom)) return;
const rows = this.list.length + (entered ? 0 : 1), to = Math.max(0, Math.min(rows - 1, Math.floor(((clientY - top) / height) * rows)));
this.changed = ()=>{};
if (entered) this.move(id, to);
else this.put(id, to);
this.changed = told;
entered = true;
}, ()=>entered&&this.changed({ kind: "put", id }));
}
showFormula(r) {
const { shows, k } = this, at = k ? `@${k}` : "", plus = '<span class="op">+</span>', lines = [];
const part = (term, css, words)=>`<span class="${css} part" data-of="${term.id}">${words}</span>`;
const sum = (name, css, terms, words, total)=>lines.push(`<div class="line"><span class="what">${name}${at}</span> = ${terms.filter(({ counts })=>counts).map((term)=>part(term, css, words(term))).join(plus)} = <b class="${css}">${total}</b></div>`);
if (shows.has("sum")) sum("CG", "g", r.terms, ({ gain })=>short(gain), short(r.cg));
if (shows.has("terms")) sum("DCG", "c", r.terms, ({ value })=>fixed(value), fixed(r.dcg));
if (shows.has("ideal")) sum("IDCG", "p", r.best, ({ value })=>fixed(value), fixed(r.idcg));
if (shows.has("ndcg")) lines.push(`<div class="line ratio"><span class="what">NDCG${at}</span> = <span class="frac"><span class="c">${fixed(r.dcg)}</span><span class="p">${fixed(r.idcg)}</span></span> = <b class="big">${fixed(r.ndcg)}</b></div>`);
this.formula.hidden = shows.has("blind")||shows.has("bare")||!lines.length;
this.formula.innerHTML = this.formula.hidden ? "" : lines.join("");
}
pull(i, share) {
const shares = [...this.shares];
shares[i] = Math.max(0, Math.min(1, share));
for (let j = i + 1; j < shares.length; j++) shares[j] = Math.min(shares[j], shares[i]);
for (let j = i - 1; j > 0; j--) shares[j] = Math.max(shares[j], shares[i]);
this.set({ shares });
this.changed({ kind: "pull" });
}
beginPulling() {
this.ranks.replaceChildren();
this.reveal(["readers", "draw"], { shares: this.list.map((_, i)=>1 - i * 0.02) });
}
showPulled(guess, glide) {
this.ranks.replaceChildren();
this.reveal(["readers"], { shares: null });
this.crowd.set({ guess, handles: false });
if (glide) this.crowd.glide(this.result.terms.map(({ share })=>share), guess);
}
pullable() {
const stroke = ({ clientX, clientY })=>{
const geometry = this.crowd.geometry(), box = this.stage.getBoundingClientRect();
const i = Math.max(0, Math.min(geometry.length - 1, Math.floor(((clientY - box.top) / box.height) * geometry.length)));
if (i > 0) this.pull(i, Math.round(((clientX - box.left - geometry[i].x) / geometry[i].width) * 100) / 100);
};
this.ranks.addEventListener("pointerdown", (event)=>{
if (!this.shows.has("draw")||!event.target.closest(".strip")) return;
event.preventDefault();
stroke(event);
whileHeld(stroke);
});
}
walk() {
const ms = this.crowd.walk();
if (!ms) return;
this.towers.fillInTurn(this.result.terms, (i)=>this.crowd.arrival(i));
const late = (node, delay)=>node?.animate([{ opacity: 0 }, { opacity: 1 }], { duration: 300, delay, fill: "backwards" });
this.ranks.querySelectorAll(".term").forEach((term, i)=>late(term, this.crowd.arrival(i)));
for (const node of [this.towers.level, ...this.formula.querySelectorAll("b")]) late(node, ms);
}
}


const SHARED = ["cards", "k", "measure", "chosen"];
const DARK = [ // JupyterLab and JupyterLite; VS Code; Colab; a page of the book; what the machine says
()=>({ true: false, false: true })[document.body.dataset.jpThemeLight],
()=>(document.body.dataset.vscodeThemeKind ? /dark|high-contrast$/.test(document.body.dataset.vscodeThemeKind) : undefined),
()=>({ dark: true, light: false })[document.documentElement.getAttribute("theme") ?? document.documentElement.dataset.theme],
()=>matchMedia("(prefers-color-scheme: dark)").matches,
];
function named(grades, titles, missed) {
const seen = {}, pages = {}, ids = grades.map((grade, i)=>{
const kind = `${titles[i] ?? ""}|${grade}`, id = `${kind}#${(seen[kind] = (seen[kind] ?? 0) + 1)}`;
pages[id] = { title: titles[i]||`d${i + 1}`, grade };
return id;
});
return { pages, list: ids.slice(0, ids.length - missed), missed: ids.slice(ids.length - missed) };
}
function render({ model, el }) {
const host = h("div", { class: "ndcg-play", "data-lm-suppress-shortcuts": "true" });
const frame = h("div", { class: "frame embed" });
host.attachShadow({ mode: "open" }).append(h("style", {}, STYLE), frame);
host.style.cssText = "display:block;max-width:60rem;padding:.2rem .4rem;font-size:16px;line-height:1.45";
el.append(host);
let figure, known = "", own = false;
const theme = ()=>{
frame.classList.toggle("dark", DARK.map((ask)=>ask()).find((dark)=>dark!==undefined));
figure?.crowd.draw();
};
const send = ()=>{
const { pages, list, missed } = figure, all = [...list, ...missed];
own = true;
model.set("cards", { grades: list.map((id)=>pages[id].grade), missed: missed.map((id)=>pages[id].grade), titles: all.map((id)=>pages[id].title) });
model.save_changes();
own = false;
};
const follow = ()=>{
if (own) return;
const [{ grades, missed, titles }, k, measure, chosen] = SHARED.map((name)=>model.get(name));
const told = named([...grades, ...missed], titles, missed.length);
const ids = JSON.stringify([Object.keys(told.pages).sort(), measure]);
const how = { list: told.list, missed: told.missed, k: k ?? null, convention: chosen };
if (figure&&ids===known) return void figure.set(how);
known = ids;
const shows = [...SHOWN[measure], ...(missed.length ? ["shelf"] : [])];
figure = new Ranking({ ...told, ...how, name: "the list", shows, changed: send });
frame.replaceChildren(figure.element);
theme();
};
follow();
const names = SHARED.map((name)=>`change:${name}`).join(" ");
model.on(names, follow);
const watcher = new MutationObserver(theme), machine = matchMedia("(prefers-color-scheme: dark)");
for (const node of [document.body, document.documentElement]) watcher.observe(node, { attributes: true });
machine.addEventListener("change", theme);
return ()=>{
model.off(names, follow);
watcher.disconnect();
machine.removeEventListener("change", theme);
};
}

export { score };
export default { render };
