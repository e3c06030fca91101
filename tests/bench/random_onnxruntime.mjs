#!/usr/bin/env node
// Random networks in ONNX Runtime, unoptimised, against the reference interpreter: the meaning of
// operators by somebody else. Prints what differs and what ONNX Runtime refuses.
//
//   build/release/bin/random_networks_to_onnx DIRECTORY 1000
//   tests/bench/random_onnxruntime.mjs DIRECTORY
//
// Known to differ there: an LSTM's clip does not reach what the last activation takes; Resize by
// tf_crop_and_resize leaves axes of scale 1 alone, whatever the region; and with align_corners or
// tf_crop_and_resize a scale that leaves a fraction of an element has its length rounded down, which
// the standard's own implementation and tests do not.
//
// Needs the npm package onnxruntime-node, found from the current folder or $ONNXRUNTIME_NODE
// (npm install --ignore-scripts onnxruntime-node).
import {readFileSync} from 'node:fs';
import {createRequire} from 'node:module';
import path from 'node:path';
import process from 'node:process';

const tolerance = 2e-4;  // of the largest number on the way
const arrays = {
  float32: Float32Array, float64: Float64Array, int64: BigInt64Array, int32: Int32Array,
  int8: Int8Array, uint8: Uint8Array, bool: Uint8Array};

const directory = process.argv[2];
if (!directory) {
  console.error('usage: random_onnxruntime.mjs DIRECTORY');
  process.exit(2);
}
const from = process.env.ONNXRUNTIME_NODE ?? path.join(process.cwd(), 'node_modules', 'onnxruntime-node');
const ort = createRequire(path.join(from, 'package.json'))(from);

function elements(tensor, bytes) {
  const count = tensor.shape.reduce((a, b) => a * b, 1), kind = arrays[tensor.type];
  return new kind(bytes.buffer.slice(bytes.byteOffset + tensor.offset,
    bytes.byteOffset + tensor.offset + count * kind.BYTES_PER_ELEMENT));
}

// The first element that is another, beyond rounding.
function difference(ours, theirs, limit) {
  for (let i = 0; i < ours.length; ++i) {
    const a = Number(ours[i]), b = Number(theirs[i]);
    if (Object.is(a, b) || a === b || Math.abs(a - b) <= limit) continue;
    return `element ${i}: ${a} here, ${b} there`;
  }
  return ours.length === theirs.length ? null : `${ours.length} elements here, ${theirs.length} there`;
}

async function compared(network) {
  const file = path.join(directory, `${network.seed}`), bytes = readFileSync(`${file}.bin`);
  const session = await ort.InferenceSession.create(`${file}.onnx`, {
    graphOptimizationLevel: 'disabled', intraOpNumThreads: 1, logSeverityLevel: 4});
  const feeds = {};
  for (const input of network.inputs)
    feeds[input.name] = new ort.Tensor(input.type, elements(input, bytes), input.shape);
  const results = await session.run(feeds);
  const differences = network.outputs.map((output) => {
    const found = difference(elements(output, bytes), results[output.name].data,
      output.type.startsWith('float') ? tolerance * network.magnitude : 0);
    return found && `${output.name} ${output.type}[${output.shape}]: ${found}`;
  });
  await session.release();
  return differences.filter((found) => found);
}

let same = 0, different = 0;
const refused = new Map();
for (const line of readFileSync(path.join(directory, 'networks.json'), 'utf8').trim().split('\n')) {
  const network = JSON.parse(line);
  try {
    const differences = await compared(network);
    differences.length === 0 ? ++same : ++different;
    for (const found of differences) console.log(`${network.seed}: ${found}`);
  } catch (error) {
    const why = String(error.message).replace(/'[^']*'|\d+/g, '_').slice(0, 400);
    refused.set(why, [...(refused.get(why) ?? []), network.seed]);
  }
}
console.log(`${same} the same, ${different} different`);
for (const [why, seeds] of refused) console.log(`refused ${seeds.length} (${seeds.slice(0, 3)}): ${why}`);
process.exit(different === 0 ? 0 : 1);
