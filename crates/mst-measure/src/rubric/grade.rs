//! Grades, and how a total is shown beside one.

use mst_model::Grade;

use super::exact::{Exact, whole};

/// From how many points on which grade is given.
const FLOORS: [(u64, Grade); 4] = [(90, Grade::A), (80, Grade::B), (70, Grade::C), (60, Grade::D)];

/// Returns the grade of an exact total.
pub(super) fn grade_of(total: &Exact) -> Grade {
    FLOORS.into_iter().find(|(floor, _)| *total >= whole(*floor)).map_or(Grade::F, |(_, grade)| grade)
}

/// Returns the grade of a number of points as a person writes it, such as a limit. The grade of a report comes from its
/// exact total instead, which `score.total` may miss by its last digit.
pub fn grade_of_points(points: f64) -> Grade {
    FLOORS.into_iter().find(|(floor, _)| points >= *floor as f64).map_or(Grade::F, |(_, grade)| grade)
}

/// Returns a total with one decimal, never a number that contradicts the grade: 79.96 with a C reads 79.9.
pub fn shown_total(total: f64, grade: Grade) -> String {
    let tenths = (total * 10.0).round();
    let shown = if grade_of_points(tenths / 10.0) < grade { tenths - 1.0 } else { tenths };
    format!("{:.1}", shown / 10.0)
}

/// Returns points with one decimal, halves away from zero as in [`shown_total`]: 97.25 reads 97.3.
pub fn shown_points(points: f64) -> String {
    let tenths = (points * 10.0).round() + 0.0;
    format!("{:.1}", tenths / 10.0)
}

#[cfg(test)]
mod tests {
    use mst_model::Grade;

    use super::super::exact::{Exact, fraction, whole};
    use super::{grade_of, shown_points, shown_total};

    #[test]
    fn a_boundary_belongs_to_the_better_grade() {
        let hair = fraction(1, u64::MAX);
        let table =
            [(90, Grade::A, Grade::B), (80, Grade::B, Grade::C), (70, Grade::C, Grade::D), (60, Grade::D, Grade::F)];
        for (floor, at, below) in table {
            assert_eq!(grade_of(&whole(floor)), at);
            assert_eq!(grade_of(&(whole(floor) - &hair)), below);
        }
        assert_eq!(grade_of(&Exact::from_integer(0.into())), Grade::F);
        assert_eq!(grade_of(&whole(100)), Grade::A);
    }

    #[test]
    fn a_shown_total_does_not_contradict_its_grade() {
        let table = [
            (79.96, Grade::C, "79.9"),
            (79.999_999_999_999_99, Grade::C, "79.9"),
            (79.999_999_999_999_99, Grade::B, "80.0"),
            (80.0, Grade::B, "80.0"),
            (89.94, Grade::B, "89.9"),
            (59.95, Grade::F, "59.9"),
            (100.0, Grade::A, "100.0"),
            (0.04, Grade::F, "0.0"),
        ];
        for (total, grade, right) in table {
            assert_eq!(shown_total(total, grade), right);
        }
        assert_eq!([97.25, 26.666, -0.04, -1.25].map(shown_points), ["97.3", "26.7", "0.0", "-1.3"]);
    }
}
