// SPDX-License-Identifier: Apache-2.0
// Playing one scenario on the port: set up, turns, final state.

import {adk} from './port.mjs';
import {Build} from './agents.mjs';
import {plugin} from './hooks.mjs';
import {BadScenario, Skip, checkFeatures, contentOf, respell, textOf} from './script.mjs';
import {Names, eventJson, plain} from './snapshots.mjs';

/** After so many items of a turn the consumer loses patience. */
const MAX_ITEMS = 400;

/** Play a scenario and return a driver's answer without the id. */
export async function answer(scenario) {
  try {
    return await new Play(scenario).answer();
  } catch (error) {
    if (error instanceof Skip) return {skip: error.message};
    if (error instanceof BadScenario) return {error: `bad scenario: ${error.message}`};
    return {panic: String(error?.stack ?? error)};
  }
}

/** The port's service in memory, which records each append and fails where it is told to. */
class Sessions extends adk.InMemorySessionService {
  appends = 0;
  traced = false;

  constructor(script, faults) {
    super();
    this.script = script;
    this.faults = new Map((faults ?? []).map(({nth, error}) => [nth, error]));
  }

  async appendEvent(request) {
    if (!this.traced) return super.appendEvent(request);
    const fault = this.faults.get(++this.appends);
    try {
      if (fault !== undefined) throw new Error(fault);
      const stored = await super.appendEvent(request);
      this.script.add('append', {event: eventJson(request.event)});
      return stored;
    } catch (error) {
      this.script.add('append', {event: eventJson(request.event), error: textOf(error)});
      throw error;
    }
  }
}

class Play {
  constructor(scenario) {
    this.scenario = scenario;
    this.build = new Build();
    this.script = this.build.script;
    this.session = scenario.session ?? {};
    this.key = {
      appName: this.session.app ?? '',
      userId: this.session.user ?? '',
      sessionId: this.session.id ?? '',
    };
    this.sessions = new Sessions(this.script, scenario.faults?.append);
  }

  async answer() {
    checkFeatures(this.scenario);
    let runner;
    try {
      runner = await this.setUp();
    } catch (error) {
      if (error instanceof Skip || error instanceof BadScenario) throw error;
      this.script.add('construct_error', {error: textOf(error)});
      return this.finished();
    }
    this.sessions.traced = true;
    for (const [index, turn] of (this.scenario.turns ?? []).entries()) {
      this.script.add('turn', {n: index + 1});
      await this.turn(runner, turn);
    }
    this.sessions.traced = false;
    const got = await this.sessions.getSession(this.key);
    return this.finished(got ? {state: got.state, events: got.events.length} : {error: 'session not found'});
  }

  finished(final) {
    const names = new Names();
    const out = {trace: this.script.trace.map((record) => names.walk(respell(plain(record), 'agentName', 'agent_name')))};
    if (final) out.final = names.walk(plain(final));
    return out;
  }

  async setUp() {
    const agent = this.build.agent(this.scenario.agent);
    const plugins = (this.scenario.plugins ?? []).map((spec) => plugin(this.script, spec));
    const runner = new adk.Runner({
      appName: this.key.appName,
      agent,
      plugins,
      sessionService: this.sessions,
      artifactService: new adk.InMemoryArtifactService(),
      memoryService: new adk.InMemoryMemoryService(),
    });
    if (!this.session.skip_create) {
      const session = await this.sessions.createSession({...this.key, state: plain(this.session.state)});
      for (const [index, spec] of (this.session.events ?? []).entries()) {
        const event = adk.createEvent({
          ...plain(spec),
          invocationId: spec.invocationId || 'inv-history',
          content: spec.content === undefined ? undefined : contentOf(spec.content),
          timestamp: Date.now() - 3_600_000 + 1000 * index,
        });
        await this.sessions.appendEvent({session, event});
      }
    }
    return runner;
  }

  async turn(runner, turn) {
    const {script} = this;
    let taken = 0;
    try {
      const items = runner.runAsync({
        userId: this.key.userId,
        sessionId: this.key.sessionId,
        newMessage: await this.message(turn.user),
        stateDelta: plain(turn.state_delta),
        runConfig: {
          streamingMode: turn.streaming || 'none',
          saveInputBlobsAsArtifacts: turn.save_input_blobs_as_artifacts,
        },
      });
      for await (const event of items) {
        script.add('yield', {event: eventJson(event)});
        taken += 1;
        if (taken === turn.stop_after) {
          script.add('stop');
          // What unwinds is recorded after the stop; what it raises is nobody's item.
          await items.return().catch(() => {});
          return;
        }
        if (taken > MAX_ITEMS) {
          script.add('runaway');
          break;
        }
      }
    } catch (error) {
      if (error instanceof Skip || error instanceof BadScenario) throw error;
      // A raised error stands for an item with an error, and always ends the stream.
      script.add('yield', {error: textOf(error)});
      if (turn.on_error !== 'continue') {
        script.add('stop');
        return;
      }
    }
    script.add('end');
  }

  async message(spec) {
    if (spec === undefined || spec === null) return undefined;
    const message = contentOf(spec, 'user');
    for (const part of message.parts ?? []) {
      const response = part.functionResponse;
      if (response?.id?.startsWith('$id:')) response.id = await this.callId(response.id.slice(4));
    }
    return message;
  }

  /** The id of the last stored call of that name. */
  async callId(name) {
    const session = await this.sessions.getSession(this.key);
    const calls = (session?.events ?? [])
      .flatMap((event) => event.content?.parts ?? [])
      .map((part) => part.functionCall)
      .filter((call) => call?.name === name);
    return calls.at(-1)?.id ?? `$id:${name}`;
  }
}
