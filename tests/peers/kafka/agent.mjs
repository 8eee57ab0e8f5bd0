// An agent on a client from npm: registers itself, then answers each request with the same key.
//
// usage: node agent.mjs kafkajs|confluent BROKERS REGISTRY-TOPIC

const [name, brokerList, registry] = process.argv.slice(2);
const brokers = brokerList.split(",");

// The two say the same in different places.
async function clients() {
  if (name === "kafkajs") {
    const { Kafka, logLevel } = await import("kafkajs");
    const kafka = new Kafka({ clientId: name, brokers, logLevel: logLevel.NOTHING });
    return {
      producer: kafka.producer({ allowAutoTopicCreation: true }),
      consumer: kafka.consumer({ groupId: name, allowAutoTopicCreation: true }),
      from: { fromBeginning: true },
    };
  }
  const { KafkaJS } = (await import("@confluentinc/kafka-javascript")).default;
  const logLevel = KafkaJS.logLevel.NOTHING;
  const kafka = new KafkaJS.Kafka({ kafkaJS: { clientId: name, brokers, logLevel } });
  return {
    producer: kafka.producer({ "linger.ms": 0 }),
    consumer: kafka.consumer({
      kafkaJS: { groupId: name, fromBeginning: true },
      "allow.auto.create.topics": true,
    }),
    from: {},
  };
}

const { producer, consumer, from } = await clients();
await producer.connect();
await consumer.connect();
await consumer.subscribe({ topic: `${name}.requests`, ...from });
await consumer.run({
  eachMessage: async ({ message }) => {
    const asked = JSON.parse(message.value.toString());
    const value = JSON.stringify({ sum: asked.a + asked.b });
    await producer.send({ topic: `${name}.responses`, messages: [{ key: message.key, value }] });
  },
});
const registration = {
  name,
  description: "Adds",
  requestTopicName: `${name}.requests`,
  responseTopicName: `${name}.responses`,
};
await producer.send({
  topic: registry,
  messages: [{ key: JSON.stringify({ name }), value: JSON.stringify(registration) }],
});
console.log("ready");
