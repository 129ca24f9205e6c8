// A hundred readers on a canvas that lies over the strips of the ranks. The picture is a function of time alone:
// draw() at Infinity is the end, which is all that is drawn where motion is not wanted.

import { calm } from "./dom.js";

const READERS = 100;
const STEP = 620, SPREAD = 420, WALK = 430; // ms for a rank, between the first and the last reader, for one walk

const ease = (t) => (t < 0 ? 0 : t > 1 ? 1 : t < 0.5 ? 2 * t * t : 1 - (2 - 2 * t) ** 2 / 2);

export class Crowd {
  constructor(canvas, strips) {
    this.canvas = canvas;
    this.strips = strips;
    this.late = Array.from({ length: READERS }, (_, j) => ((j * 61) % READERS) / READERS); // shuffled, the same each time
    this.state = { shares: [], lit: null, guess: null, handles: false, cut: Infinity, focus: -1 };
    this.time = Infinity;
    this.flash = [];
    new ResizeObserver(() => this.draw()).observe(canvas.parentElement);
  }

  // lit: the grade at each rank, or null while nobody lights up
  set(state) {
    const before = this.state.lit;
    this.state = { ...this.state, ...state };
    if (before && this.state.lit) this.state.lit.forEach((grade, i) => { if (grade !== before[i] && grade > 0) this.flash[i] = performance.now(); });
    this.run();
  }

  // From the shares that are shown to others.
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
    const tick = () => {
      const now = performance.now();
      if (this.time !== Infinity) {
        this.time = now - this.begun;
        if (this.time > this.state.shares.length * STEP + SPREAD + WALK) this.time = Infinity;
      }
      this.draw();
      if (this.time !== Infinity || this.from || (!calm() && this.flash.some((at) => now - at < 450))) requestAnimationFrame(tick);
      else this.running = false;
    };
    tick();
  }

  // 2, 4 or 5 readers in a column, so that 100 fill a block.
  geometry() {
    const box = this.canvas.parentElement.getBoundingClientRect();
    return this.strips().map((strip) => {
      const { left, top, width, height } = strip.getBoundingClientRect();
      const [rows, dx, dy] = [2, 4, 5].map((count) => {
        const y = Math.min((height - 4) / count, 13), x = Math.min((width - 12) / (READERS / count), y * 2.2);
        return [count, x, Math.min(y, x * 1.5)];
      }).sort((a, b) => fits(b) - fits(a))[0];
      return { x: left - box.left + 6, y: top - box.top + (height - rows * dy) / 2, rows, dx, dy, pitch: Math.max(0, Math.min(dx, dy)), width: (READERS / rows) * dx, height: rows * dy };
    });
  }

  draw() {
    const { canvas } = this, host = canvas.parentElement, ratio = Math.min(devicePixelRatio || 1, 2);
    const width = host.clientWidth, height = host.clientHeight;
    if (!width || canvas.hidden || !canvas.getClientRects().length) return;
    if (canvas.width !== Math.round(width * ratio)) canvas.width = Math.round(width * ratio);
    if (canvas.height !== Math.round(height * ratio)) canvas.height = Math.round(height * ratio);
    const c = canvas.getContext("2d"), css = getComputedStyle(canvas);
    const colour = Object.fromEntries(["discount", "contribution", "text", "quiet", "line", "back"].map((name) => [name, css.getPropertyValue(`--${name}`).trim()]));
    c.setTransform(ratio, 0, 0, ratio, 0, 0);
    c.clearRect(0, 0, width, height);
    const now = performance.now(), { lit, cut, guess, handles, focus } = this.state;
    let { shares } = this.state;
    if (this.from) {
      const t = ease((now - this.from.at) / 800), { shares: before } = this.from;
      shares = shares.map((share, i) => share * t + (before[i] ?? 0) * (1 - t));
      if (t >= 1) this.from = null;
    }
    const strips = this.geometry(), n = Math.min(strips.length, shares.length);
    if (!n) return;
    const stay = shares.slice(0, n).map((share) => Math.round(share * READERS));
    const slot = (i, j) => [strips[i].x + (Math.floor(j / strips[i].rows) + 0.5) * strips[i].dx, strips[i].y + ((j % strips[i].rows) + 0.5) * strips[i].dy];
    const since = (i, j) => this.time - i * STEP - this.late[j] * SPREAD;

    for (let i = 0; i < n; i++) {
      const { pitch } = strips[i], grade = lit?.[i] ?? 0, dim = i >= cut ? 0.25 : 1;
      const flash = this.flash[i] && !calm() ? Math.max(0, 1 - (now - this.flash[i]) / 450) : 0;
      for (let j = 0; j < READERS; j++) {
        const [x, y] = slot(i, j);
        c.globalAlpha = 0.8 * dim;
        if (j >= stay[i] || since(i, j) < WALK) {
          c.fillStyle = colour.line;
          c.fillRect(x - 0.8, y - 0.8, 1.6, 1.6);
          continue;
        }
        const pop = this.time === Infinity ? flash : Math.max(0, 1 - (since(i, j) - WALK) / 380);
        if (!lit || i >= cut) {
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

    if (this.time !== Infinity) { // those on the way to the next rank, and those who have seen enough
      for (let i = 0; i < n; i++) {
        for (let j = 0; j < stay[i]; j++) {
          const t = since(i, j) / WALK;
          if (t < 0 || t > 1) continue;
          const [x, y] = slot(i, j), [x0, y0] = i ? slot(i - 1, j) : [x, -14];
          dot(c, x0 + (x - x0) * ease(t) + Math.sin(t * 9 + j) * 1.5, y0 + (y - y0) * ease(t), strips[i].pitch * 0.36, colour.discount);
        }
        for (let j = stay[i]; i && j < stay[i - 1]; j++) {
          const t = since(i, j) / (WALK * 1.6);
          if (t < 0 || t > 1) continue;
          const [x, y] = slot(i - 1, j);
          c.globalAlpha = 1 - t;
          dot(c, x + 46 * ease(t), y + 16 * t, strips[i].pitch * 0.34, colour.quiet);
          c.globalAlpha = 1;
        }
      }
    }

    // The edge of the crowd is the discount.
    const edge = (i, share) => strips[i].x + share * strips[i].width;
    const stairs = (values) => {
      c.beginPath();
      values.slice(0, n).forEach((share, i) => {
        const x = edge(i, share);
        c.moveTo(x, strips[i].y - 3);
        c.lineTo(x, strips[i].y + strips[i].height + 3);
      });
      c.stroke();
    };
    c.lineWidth = 2;
    c.strokeStyle = colour.discount;
    if (this.time === Infinity) stairs(shares);
    if (guess) {
      c.strokeStyle = colour.text;
      c.setLineDash([4, 3]);
      stairs(guess);
      c.setLineDash([]);
    }
    for (let i = 1; handles && i < n; i++) {
      const x = edge(i, shares[i]), y = strips[i].y + strips[i].height / 2;
      c.fillStyle = colour.discount;
      c.beginPath();
      c.roundRect(x - 5, y - 12, 10, 24, 5);
      c.fill();
      c.strokeStyle = i === focus ? colour.text : colour.back;
      c.beginPath();
      if (i === focus) c.roundRect(x - 8, y - 15, 16, 30, 8);
      else { c.moveTo(x, y - 5); c.lineTo(x, y + 5); }
      c.stroke();
    }
  }
}

const fits = ([rows, dx, dy]) => Math.min(dx, dy) * (rows === 2 ? 0.7 : 1);

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
