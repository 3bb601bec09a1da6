/** Colours by class; dark by media query, so that one file serves both. Contrast of every text is at least 4.5 : 1. */
const LIGHT = {
  paper: '#ffffff',
  card: '#ffffff',
  border: '#c3ccd8',
  text: '#17202e',
  muted: '#536175',
  line: '#8793a4',
  group: '#f5f7fa',
  call: '#2563c9',
  people: '#8a4bd0',
  time: '#0f7f86',
  data: '#6b7585',
  end: '#17202e',
  undo: '#a85b00',
  bad: '#c22f2f',
  good: '#1f7f45',
  now: '#1757d6',
};
const DARK: typeof LIGHT = {
  paper: '#10151d',
  card: '#1a212c',
  border: '#3b4757',
  text: '#e8edf4',
  muted: '#a5b1c2',
  line: '#6f7d90',
  group: '#151b24',
  call: '#7fb0ff',
  people: '#c9a2ff',
  time: '#5fd0d6',
  data: '#9aa6b7',
  end: '#e8edf4',
  undo: '#f0ad55',
  bad: '#ff8a80',
  good: '#6fd39a',
  now: '#7fb0ff',
};

function rules(c: typeof LIGHT): string {
  return [
    `.paper{fill:${c.paper}}`,
    `.card{fill:${c.card};stroke:${c.border};stroke-width:1.2}`,
    `.title{fill:${c.text}}.detail{fill:${c.muted}}`,
    `.halo{paint-order:stroke;stroke:${c.paper};stroke-width:4px;stroke-linejoin:round}`,
    `.group>rect{fill:${c.group};stroke:${c.border};stroke-dasharray:2 3}.group>text{fill:${c.muted};stroke:${c.group}}`,
    `.start{fill:${c.end}}.end .card{stroke:${c.end};stroke-width:2.2}`,
    `.strip{fill:${c.data}}.call .strip{fill:${c.call}}.approve .strip{fill:${c.people}}.wait .strip,.await .strip{fill:${c.time}}.fail .strip{fill:${c.bad}}`,
    `.compensation .strip{fill:${c.undo}}.compensation .card{stroke:${c.undo};stroke-dasharray:5 4}`,
    `.edge{fill:none;stroke:${c.line};stroke-width:1.5}.edge.failure{stroke:${c.bad}}.edge.compensation{stroke:${c.undo}}.edge.taken{stroke:${c.good};stroke-width:2.6}`,
    `.head{fill:${c.line}}.head.failure{fill:${c.bad}}.head.compensation{fill:${c.undo}}.head.taken{fill:${c.good}}`,
    `.label{fill:${c.muted}}.label.failure{fill:${c.bad}}.label.compensation{fill:${c.undo}}.label.taken{fill:${c.good}}`,
    `.badge rect{fill:none;stroke:${c.muted}}.badge text,.badge path{fill:${c.muted}}.badge .line{fill:none;stroke:${c.muted}}`,
    `.badge.pivot rect,.badge.unknown rect{stroke:${c.bad}}.badge.pivot text,.badge.pivot path,.badge.unknown text,.badge.unknown path{fill:${c.bad}}`,
    `.badge.human rect,.badge.authorized rect{stroke:${c.people}}.badge.human text,.badge.human path,.badge.authorized text,.badge.authorized path{fill:${c.people}}`,
    `.node.taken .card{stroke:${c.good};stroke-width:2}.node.now .card{stroke:${c.now};stroke-width:3}.node.held .card{stroke:${c.bad};stroke-width:3;stroke-dasharray:2 3}.node.failed .card{stroke:${c.bad};stroke-width:2.4}.node.undone .card{stroke:${c.undo};stroke-width:2.4}`,
    `.sign circle{fill:${c.good}}.sign text{fill:${c.paper};font-weight:700}.sign.now circle{fill:${c.now}}.sign.held circle,.sign.failed circle{fill:${c.bad}}.sign.undone circle{fill:${c.undo}}`,
  ].join('');
}

/** The style sheet that every picture carries. */
export const STYLE = `${rules(LIGHT)}@media (prefers-color-scheme: dark){${rules(DARK)}}`;
