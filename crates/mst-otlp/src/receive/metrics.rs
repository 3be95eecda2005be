//! Metrics as they are stored with a trial: a name, a unit, and points with what they count.

use mst_model::HostItem;
use opentelemetry_proto::tonic::collector::metrics::v1::ExportMetricsServiceRequest;
use opentelemetry_proto::tonic::common::v1::KeyValue;
use opentelemetry_proto::tonic::metrics::v1::metric::Data;
use opentelemetry_proto::tonic::metrics::v1::number_data_point::Value as Number;
use opentelemetry_proto::tonic::metrics::v1::{AggregationTemporality, Metric, NumberDataPoint};
use serde_json::{Map, Value, json};

use super::items::{put, put_attributes, put_list, put_name, put_time, service};

/// Returns the metrics of a request, each with the number of its points.
pub(super) fn metrics(request: ExportMetricsServiceRequest) -> Vec<(HostItem, usize)> {
    let mut items = Vec::new();
    for group in request.resource_metrics {
        let service = service(group.resource.as_ref());
        for metric in group.scope_metrics.into_iter().flat_map(|scope| scope.metrics) {
            items.push(metric_item(metric, service.as_deref()));
        }
    }
    items
}

fn metric_item(metric: Metric, service: Option<&str>) -> (HostItem, usize) {
    let mut item = HostItem::default();
    put_name(&mut item, &metric.name);
    put(&mut item.kept, "service", service);
    put(&mut item.kept, "unit", Some(metric.unit.as_str()).filter(|unit| (1..=32).contains(&unit.len())));
    let (kind, temporality, points) = match metric.data {
        None => return (item, 1),
        Some(Data::Gauge(gauge)) => ("gauge", None, numbers(gauge.data_points)),
        Some(Data::Sum(sum)) => ("sum", Some(sum.aggregation_temporality), numbers(sum.data_points)),
        Some(Data::Histogram(histogram)) => {
            let points = histogram.data_points.into_iter().map(|point| {
                let values = spread(point.count, point.sum, point.min, point.max);
                at(point.start_time_unix_nano, point.time_unix_nano, values, point.attributes)
            });
            ("histogram", Some(histogram.aggregation_temporality), points.collect())
        }
        Some(Data::ExponentialHistogram(histogram)) => {
            let points = histogram.data_points.into_iter().map(|point| {
                let values = spread(point.count, point.sum, point.min, point.max);
                at(point.start_time_unix_nano, point.time_unix_nano, values, point.attributes)
            });
            ("histogram", Some(histogram.aggregation_temporality), points.collect())
        }
        Some(Data::Summary(summary)) => {
            let points = summary.data_points.into_iter().map(|point| {
                let values = spread(point.count, Some(point.sum), None, None);
                at(point.start_time_unix_nano, point.time_unix_nano, values, point.attributes)
            });
            ("summary", None, points.collect::<Vec<_>>())
        }
    };
    put(&mut item.kept, "kind", Some(kind));
    let temporality = temporality.and_then(|value| AggregationTemporality::try_from(value).ok());
    let temporality = temporality.and_then(|value| value.as_str_name().strip_prefix("AGGREGATION_TEMPORALITY_"));
    put(&mut item.kept, "temporality", temporality.map(str::to_lowercase).as_deref());
    let count = points.len().max(1);
    put_list(&mut item, "points", points);
    (item, count)
}

fn numbers(points: Vec<NumberDataPoint>) -> Vec<HostItem> {
    let points = points.into_iter().map(|point| {
        let value = match point.value {
            Some(Number::AsInt(whole)) => json!(whole),
            Some(Number::AsDouble(number)) => json!(number),
            None => Value::Null,
        };
        let values = Map::from_iter([("value".to_owned(), value)]);
        at(point.start_time_unix_nano, point.time_unix_nano, values, point.attributes)
    });
    points.collect()
}

fn spread(count: u64, sum: Option<f64>, min: Option<f64>, max: Option<f64>) -> Map<String, Value> {
    let mut values = Map::from_iter([("count".to_owned(), json!(count))]);
    for (key, value) in [("sum", sum), ("min", min), ("max", max)] {
        if let Some(value) = value {
            values.insert(key.to_owned(), json!(value));
        }
    }
    values
}

fn at(start: u64, end: u64, values: Map<String, Value>, attributes: Vec<KeyValue>) -> HostItem {
    let mut item = HostItem { kept: values, content: Map::new() };
    put_time(&mut item.kept, "startedAt", start);
    put_time(&mut item.kept, "at", end);
    put_attributes(&mut item, attributes);
    item
}
