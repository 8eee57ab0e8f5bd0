// An agent that speaks Avro as @kafkajs/confluent-schema-registry and avsc have it: puts its schemas
// into the registry, registers itself, then answers each request with what it has read. Keys of
// replies are written by a schema of their own.
//
// usage: node agent.mjs BROKERS REGISTRY-URL REGISTRY-TOPIC

import { SchemaRegistry, SchemaType } from "@kafkajs/confluent-schema-registry";
import { Kafka, logLevel } from "kafkajs";

const [brokerList, host, registryTopic] = process.argv.slice(2);
const name = "avro";
const requests = `${name}.requests`;
const responses = `${name}.responses`;

const request = {
  type: "record",
  name: "Everything",
  namespace: "peer",
  fields: [
    { name: "text", type: "string" },
    { name: "whole", type: "int" },
    { name: "large", type: "long" },
    { name: "single", type: "float" },
    { name: "double", type: "double" },
    { name: "flag", type: "boolean" },
    { name: "blob", type: "bytes" },
    { name: "hash", type: { type: "fixed", name: "Hash", size: 4 } },
    { name: "size", type: { type: "enum", name: "Size", symbols: ["S", "L"] } },
    { name: "list", type: { type: "array", items: "int" } },
    { name: "map", type: { type: "map", values: ["null", "string"] } },
    {
      name: "tree",
      type: {
        type: "record",
        name: "Tree",
        fields: [
          { name: "value", type: "int" },
          { name: "next", type: ["null", "Tree"] },
        ],
      },
    },
    { name: "absent", type: ["null", "int"], default: null },
    { name: "default", type: "int", default: 42 },
  ],
};
const response = {
  type: "record",
  name: "Reply",
  fields: [
    { name: "echo", type: request },
    { name: "seen", type: "string" },
  ],
};
const key = (of) => ({ type: "record", name: of, fields: [{ name: "correlationId", type: "string" }] });

const registry = new SchemaRegistry({ host });
const add = async (subject, schema) =>
  (await registry.register({ type: SchemaType.AVRO, schema: JSON.stringify(schema) }, { subject })).id;

await add(`${requests}-key`, key("RequestKey"));
await add(`${requests}-value`, request);
const keyId = await add(`${responses}-key`, key("ResponseKey"));
const valueId = await add(`${responses}-value`, response);

const brokers = brokerList.split(",");
const kafka = new Kafka({ clientId: name, brokers, logLevel: logLevel.NOTHING });
const producer = kafka.producer({ allowAutoTopicCreation: true });
const consumer = kafka.consumer({ groupId: name, allowAutoTopicCreation: true });
await producer.connect();
await consumer.connect();
await consumer.subscribe({ topic: requests, fromBeginning: true });
await consumer.run({
  eachMessage: async ({ message }) => {
    const { correlationId } = await registry.decode(message.key);
    const echo = await registry.decode(message.value);
    const reply = {
      key: await registry.encode(keyId, { correlationId }),
      value: await registry.encode(valueId, { echo, seen: JSON.stringify(echo) }),
    };
    await producer.send({ topic: responses, messages: [reply] });
  },
});
const registration = {
  name,
  description: "Says what it has read",
  requestTopicName: requests,
  responseTopicName: responses,
};
await producer.send({
  topic: registryTopic,
  messages: [{ key: JSON.stringify({ name }), value: JSON.stringify(registration) }],
});
console.log("ready");
