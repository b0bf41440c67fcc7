import { expect, test } from 'vitest';
import { readExposition } from './exposition.ts';

const histogram = (lines: string) => `# HELP h x\n# TYPE h histogram\n${lines}`;

test.each([
  ['no TYPE', 'a 1\n'],
  ['no end of the last line', '# HELP a x\n# TYPE a gauge\na 1'],
  ['a second TYPE', '# HELP a x\n# TYPE a gauge\n# TYPE a gauge\na 1\n'],
  ['an unknown type', '# HELP a x\n# TYPE a number\na 1\n'],
  ['a counter not called so', '# HELP a x\n# TYPE a counter\na 1\n'],
  ['a sample twice', '# HELP a x\n# TYPE a gauge\na{b="1"} 1\na{b="1"} 2\n'],
  ['a label without quotes', '# HELP a x\n# TYPE a gauge\na{b=1} 1\n'],
  ['an end of line in a label', '# HELP a x\n# TYPE a gauge\na{b="1\n2"} 1\n'],
  ['a value that is a word', '# HELP a x\n# TYPE a gauge\na many\n'],
  ['a sample after another family', '# HELP a x\n# TYPE a gauge\n# HELP b x\n# TYPE b gauge\nb 1\na 1\n'],
  ['buckets that count down', histogram('h_bucket{le="1"} 2\nh_bucket{le="+Inf"} 1\nh_sum 1\nh_count 1\n')],
  ['no +Inf', histogram('h_bucket{le="1"} 1\nh_sum 1\nh_count 1\n')],
  ['another count than +Inf', histogram('h_bucket{le="1"} 1\nh_bucket{le="+Inf"} 1\nh_sum 1\nh_count 2\n')],
])('the checker refuses %s', (_what, text) => {
  expect(() => readExposition(text)).toThrow();
});

test('the checker accepts a valid exposition', () => {
  const text =
    '# HELP a_total x\n# TYPE a_total counter\na_total{b="\\"1\\\\n\\n",c=""} 2\n\n' +
    histogram('h_bucket{le="0.5"} 1\nh_bucket{le="+Inf"} 3\nh_sum 1.5\nh_count 3\n');
  expect(readExposition(text)).toHaveLength(5);
});
