// The OTLP receiver of the OpenTelemetry Collector, and behind it an exporter that appends what was
// decoded to files, as OTLP/JSON, one request a line. The tests read there what has arrived.
//
// usage: collector FOLDER
//
// It prints its address once it listens, and ends when its standard input does.
package main

import (
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"sync"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/config/configgrpc"
	"go.opentelemetry.io/collector/config/configoptional"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/receiver"
	"go.opentelemetry.io/collector/receiver/otlpreceiver"
)

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "collector:", err)
		os.Exit(1)
	}
}

type lineFile struct {
	mutex sync.Mutex
	out   *os.File
}

func create(name string) *lineFile {
	out, err := os.Create(filepath.Join(os.Args[1], name))
	check(err)
	return &lineFile{out: out}
}

func (f *lineFile) add(line []byte, err error) error {
	if err != nil {
		return err
	}
	f.mutex.Lock()
	defer f.mutex.Unlock()
	_, err = f.out.Write(append(line, '\n'))
	return err
}

func freeAddress() string {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	check(err)
	defer listener.Close()
	return listener.Addr().String()
}

// The receivers of the three signals share one server, which starts with the first.
func receivers(config component.Config) []component.Component {
	ctx := context.Background()
	factory := otlpreceiver.NewFactory()
	settings := receiver.Settings{
		ID:                component.NewID(factory.Type()),
		TelemetrySettings: componenttest.NewNopTelemetrySettings(),
	}

	spans := create("traces")
	spanConsumer, err := consumer.NewTraces(func(_ context.Context, data ptrace.Traces) error {
		return spans.add((&ptrace.JSONMarshaler{}).MarshalTraces(data))
	})
	check(err)
	traces, err := factory.CreateTraces(ctx, settings, config, spanConsumer)
	check(err)

	points := create("metrics")
	pointConsumer, err := consumer.NewMetrics(func(_ context.Context, data pmetric.Metrics) error {
		return points.add((&pmetric.JSONMarshaler{}).MarshalMetrics(data))
	})
	check(err)
	metrics, err := factory.CreateMetrics(ctx, settings, config, pointConsumer)
	check(err)

	records := create("logs")
	recordConsumer, err := consumer.NewLogs(func(_ context.Context, data plog.Logs) error {
		return records.add((&plog.JSONMarshaler{}).MarshalLogs(data))
	})
	check(err)
	logs, err := factory.CreateLogs(ctx, settings, config, recordConsumer)
	check(err)
	return []component.Component{traces, metrics, logs}
}

func main() {
	address := freeAddress()
	config := otlpreceiver.NewFactory().CreateDefaultConfig().(*otlpreceiver.Config)
	config.Protocols.GRPC = configoptional.None[configgrpc.ServerConfig]()
	config.Protocols.HTTP.GetOrInsertDefault().ServerConfig.NetAddr.Endpoint = address
	for _, one := range receivers(config) {
		check(one.Start(context.Background(), componenttest.NewNopHost()))
	}
	fmt.Println(address)
	_, err := io.Copy(io.Discard, os.Stdin)
	check(err)
}
