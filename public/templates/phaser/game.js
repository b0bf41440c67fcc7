// The game: a scene of Phaser. All about Gantry is in cloud.js.
import { AUTO, Game, Scale, Scene } from 'phaser';
import { endRound, onPlay, showScore } from './page.js';

const width = 360;
const height = 480;
const basketWidth = 70;
const radius = 14;

class FallingStars extends Scene {
  score = 0;
  misses = 3;

  create() {
    this.basket = this.add.rectangle(width / 2, height - 33, basketWidth, 14, 0x8fb4ff);
    this.physics.add.existing(this.basket, true);
    this.stars = this.physics.add.group();
    this.physics.add.overlap(this.stars, this.basket, (_basket, star) => this.caught(star));
    this.keys = this.input.keyboard.createCursorKeys();
    this.input.on('pointermove', ({ x }) => this.moveTo(x));
    onPlay(() => this.start());
  }

  start() {
    this.score = 0;
    this.misses = 3;
    showScore(this.score, this.misses);
    this.addStar(this.basket.x); // the first one falls into the basket
    this.timer = this.time.delayedCall(1000, () => this.addNext());
  }

  addNext() {
    this.addStar(radius + Math.random() * (width - 2 * radius));
    this.timer = this.time.delayedCall(8000 / (this.score + 10), () => this.addNext());
  }

  addStar(x) {
    const star = this.add.star(x, -radius, 5, radius / 2, radius, 0xffd54f);
    this.stars.add(star);
    star.body.setVelocityY(260 + 8 * this.score);
  }

  caught(star) {
    star.destroy();
    this.score += 1;
    showScore(this.score, this.misses);
  }

  moveTo(x) {
    this.basket.x = Math.max(basketWidth / 2, Math.min(width - basketWidth / 2, x));
    this.basket.body.updateFromGameObject();
  }

  update(_time, milliseconds) {
    const step = 0.42 * milliseconds;
    if (this.keys.left.isDown) this.moveTo(this.basket.x - step);
    if (this.keys.right.isDown) this.moveTo(this.basket.x + step);
    for (const star of this.stars.getChildren().filter(({ y }) => y > height)) {
      star.destroy();
      this.misses -= 1;
      if (this.misses >= 0) showScore(this.score, this.misses);
      if (this.misses === 0) this.end();
    }
  }

  end() {
    this.timer.remove();
    this.stars.clear(true, true);
    endRound(this.score);
  }
}

new Game({
  type: AUTO,
  parent: 'stage',
  width,
  height,
  transparent: true,
  banner: false,
  scale: { mode: Scale.FIT },
  physics: { default: 'arcade' },
  scene: FallingStars,
});
