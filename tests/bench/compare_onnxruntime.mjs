#!/usr/bin/env node
// Latency of Loopglass and ONNX Runtime on one model, measured side by side: the two alternate in
// blocks, so that a noisy machine is noisy for both; the ratio is the median of the blocks' ratios.
// Prints one JSON object.
//
//   tests/bench/compare_onnxruntime.mjs MODEL [--threads N] [--blocks N] [--rounds N] [--shape n=1x3]
//
// Needs the npm package onnxruntime-node, found from the current folder or $ONNXRUNTIME_NODE
// (npm install --ignore-scripts onnxruntime-node), and the release build.
import {execFileSync} from 'node:child_process';
import {createRequire} from 'node:module';
import {existsSync, statSync} from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import {fileURLToPath} from 'node:url';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');
const loopglassc = path.join(root, 'build/release/bin/loopglassc');

function parseArguments(words) {
  const options = {threads: 1, blocks: 5, rounds: 10, shapes: []};
  for (let i = 0; i < words.length; ++i) {
    const word = words[i];
    if (word === '--shape') options.shapes.push(words[++i]);
    else if (word.startsWith('--')) options[word.slice(2)] = Number(words[++i]);
    else options.model = word;
  }
  if (!options.model) {
    console.error('usage: compare_onnxruntime.mjs MODEL [--threads N] [--blocks N] [--rounds N] [--shape n=1x3]');
    process.exit(2);
  }
  return options;
}

function loadRuntime() {
  const from = process.env.ONNXRUNTIME_NODE ?? path.join(process.cwd(), 'node_modules', 'onnxruntime-node');
  try {
    return createRequire(path.join(from, 'package.json'))(from);
  } catch (error) {
    console.error(`cannot load onnxruntime-node from ${from}: ${error.message}`);
    process.exit(2);
  }
}

// A file as it is; a folder's model.onnx; else a sample, which Loopglass writes to its cache.
function modelFile(model) {
  if (existsSync(model)) return statSync(model).isDirectory() ? path.join(model, 'model.onnx') : model;
  const {samples} = JSON.parse(execFileSync(loopglassc, ['samples', model, '--json'], {encoding: 'utf8'}));
  return samples[0].path;
}

const median = (values) => values.slice().sort((a, b) => a - b)[Math.floor(values.length / 2)];

function runLoopglass(file, options) {
  const words = ['bench', file, '--threads', options.threads, '--rounds', options.rounds, '--json'];
  for (const shape of options.shapes) words.push('--shape', shape);
  const report = JSON.parse(execFileSync(loopglassc, words.map(String), {encoding: 'utf8', maxBuffer: 1 << 28}));
  // ONNX Runtime makes new tensors for the outputs of each run.
  return (report.median_us + report.fresh_outputs.median_us) / 1e3;
}

async function openRuntime(ort, file, options) {
  const session = await ort.InferenceSession.create(file, {
    intraOpNumThreads: options.threads, interOpNumThreads: 1, executionMode: 'sequential',
    graphOptimizationLevel: 'all'});
  const shapes = new Map(options.shapes.map((text) => {
    const [name, extents] = text.split('=');
    return [name, extents.split('x').map(Number)];
  }));
  const report = JSON.parse(execFileSync(loopglassc, ['emit', 'graph', file, '--json',
    ...options.shapes.flatMap((s) => ['--shape', s])], {encoding: 'utf8', maxBuffer: 1 << 28}));
  const feeds = {};
  for (const id of report.inputs) {
    const value = report.values.find((v) => v.id === id);
    const extents = shapes.get(value.name) ?? value.shape;
    const count = extents.reduce((a, b) => a * b, 1);
    if (value.type !== 'float32') throw new Error(`input ${value.name} is ${value.type}; only float32 is compared`);
    feeds[value.name] = new ort.Tensor('float32', Float32Array.from({length: count}, () => Math.random() * 2 - 1), extents);
  }
  return async () => {
    const times = [];
    await session.run(feeds);
    for (let i = 0; i < options.rounds; ++i) {
      const start = process.hrtime.bigint();
      await session.run(feeds);
      times.push(Number(process.hrtime.bigint() - start) / 1e6);
    }
    return median(times);
  };
}

const options = parseArguments(process.argv.slice(2));
const file = modelFile(options.model);
const ort = loadRuntime();
const runOnnxRuntime = await openRuntime(ort, file, options);
const ours = [], theirs = [];
for (let block = 0; block < options.blocks; ++block) {
  ours.push(runLoopglass(file, options));
  theirs.push(await runOnnxRuntime());
}
console.log(JSON.stringify({
  model: options.model, threads: options.threads, blocks: options.blocks, rounds: options.rounds,
  loopglass_ms: median(ours), onnxruntime_ms: median(theirs),
  ratio: median(ours.map((milliseconds, block) => milliseconds / theirs[block])),
  loopglass_blocks_ms: ours, onnxruntime_blocks_ms: theirs}, null, 2));
