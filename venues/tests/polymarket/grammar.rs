//! Documents made by a grammar: every way to write the same members gives the same digest; a member or a struct
//! field twice, missing, unknown, of another kind or in the wrong place is always refused.

use proptest::prelude::*;
use proptest::sample::Index;
use serde_json::Value;
use venues::Payload;
use venues::polymarket::decode;

use crate::draft::families;

/// JSON in which a name may stand twice.
#[derive(Clone, Debug)]
enum Node {
    Scalar(String),
    List(Vec<Node>),
    Object(Vec<(String, Node)>),
}

impl Node {
    fn of(value: &Value) -> Self {
        match value {
            Value::Array(list) => Self::List(list.iter().map(Self::of).collect()),
            Value::Object(members) => {
                Self::Object(members.iter().map(|(name, value)| (name.clone(), Self::of(value))).collect())
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {
                Self::Scalar(value.to_string())
            }
        }
    }

    fn text(&self, space: &str) -> String {
        match self {
            Self::Scalar(text) => text.clone(),
            Self::List(list) => {
                let list: Vec<_> = list.iter().map(|node| node.text(space)).collect();
                format!("[{space}{}{space}]", list.join(&format!("{space},{space}")))
            }
            Self::Object(members) => {
                let members: Vec<_> = members
                    .iter()
                    .map(|(name, node)| format!("\"{name}\"{space}:{space}{}", node.text(space)))
                    .collect();
                format!("{{{space}{}{space}}}", members.join(&format!("{space},{space}")))
            }
        }
    }

    /// Every node, the inner ones after the outer.
    fn nodes(&mut self, visit: &mut dyn FnMut(&mut Self)) {
        visit(self);
        match self {
            Self::Scalar(_) => {}
            Self::List(list) => list.iter_mut().for_each(|node| node.nodes(visit)),
            Self::Object(members) => members.iter_mut().for_each(|(_, node)| node.nodes(visit)),
        }
    }

    /// Changes one of the nodes that `wanted` takes.
    fn change(&mut self, at: Index, wanted: impl Fn(&Self) -> bool, change: impl FnOnce(&mut Self)) {
        let mut found = 0;
        self.nodes(&mut |node| found += usize::from(wanted(node)));
        let (mut left, mut change) = (at.index(found), Some(change));
        self.nodes(&mut |node| {
            if wanted(node) {
                if left == 0
                    && let Some(change) = change.take()
                {
                    change(node);
                }
                left = left.saturating_sub(1);
            }
        });
    }

    fn is_object(&self) -> bool {
        matches!(self, Self::Object(_))
    }

    fn is_list(&self) -> bool {
        matches!(self, Self::List(_))
    }

    fn members(&mut self) -> &mut Vec<(String, Self)> {
        match self {
            Self::Object(members) => members,
            Self::List(_) | Self::Scalar(_) => panic!("an object"),
        }
    }

    fn elements(&mut self) -> &mut Vec<Self> {
        match self {
            Self::List(list) => list,
            Self::Object(_) | Self::Scalar(_) => panic!("a list"),
        }
    }
}

fn document() -> impl Strategy<Value = Node> {
    proptest::sample::select(families().to_vec())
        .prop_map(|text| Node::of(&serde_json::from_str(&text).unwrap()))
}

/// Shuffles the members of every object; `keys` say how.
fn shuffle(node: &mut Node, keys: &[u8]) {
    let mut keys = keys.iter().cycle();
    node.nodes(&mut |node| {
        if let Node::Object(members) = node {
            for at in (1..members.len()).rev() {
                members.swap(at, usize::from(*keys.next().unwrap()) % (at + 1));
            }
        }
    });
}

fn refused(node: &Node) -> bool {
    decode(node.text("").as_bytes()).is_err()
}

/// A name with its first character escaped.
fn escaped(name: &str) -> String {
    let mut characters = name.chars();
    let first = characters.next().unwrap();
    format!("\\u{:04x}{}", u32::from(first), characters.as_str())
}

proptest! {
    #[test]
    fn order_of_members_and_white_space_change_nothing(
        node in document(),
        keys in proptest::collection::vec(any::<u8>(), 40),
        space in "[ \t\r\n]{0,3}",
    ) {
        let text = node.text("");
        let mut shuffled = node;
        shuffle(&mut shuffled, &keys);
        let other = shuffled.text(&space);
        let [first, second] = [&text, &other].map(|text| decode(text.as_bytes()).unwrap());
        prop_assert_eq!(first.preimage(), second.preimage());
        prop_assert_eq!(first.content(), second.content());
    }

    #[test]
    fn a_member_twice_is_refused(
        node in document(), at: Index, member: Index, place: Index, is_escaped: bool, is_new: bool,
    ) {
        let mut node = node;
        node.change(at, Node::is_object, |object| {
            let members = object.members();
            let (name, value) = members[member.index(members.len())].clone();
            let name = if is_escaped { escaped(&name) } else { name };
            let value = if is_new { Node::Scalar("\"1\"".into()) } else { value };
            members.insert(place.index(members.len() + 1), (name, value));
        });
        prop_assert!(refused(&node), "{}", node.text(""));
    }

    #[test]
    fn an_escaped_name_is_refused(node in document(), at: Index, member: Index) {
        let mut node = node;
        node.change(at, Node::is_object, |object| {
            let members = object.members();
            let at = member.index(members.len());
            members[at].0 = escaped(&members[at].0);
        });
        prop_assert!(refused(&node), "{}", node.text(""));
    }

    #[test]
    fn a_missing_member_is_refused(node in document(), at: Index, member: Index) {
        let mut node = node;
        node.change(at, Node::is_object, |object| {
            let members = object.members();
            members.remove(member.index(members.len()));
        });
        prop_assert!(refused(&node), "{}", node.text(""));
    }

    #[test]
    fn an_unknown_member_is_refused(
        node in document(), at: Index, name in "[a-z]{1,12}|Order|Person|maker |Maker|__proto__|", place: Index,
    ) {
        let mut node = node;
        let mut is_known = false;
        node.change(at, Node::is_object, |object| {
            let members = object.members();
            is_known = members.iter().any(|(known, _)| *known == name);
            members.insert(place.index(members.len() + 1), (name, Node::List(Vec::new())));
        });
        prop_assume!(!is_known);
        prop_assert!(refused(&node), "{}", node.text(""));
    }

    #[test]
    fn another_list_of_fields_is_refused(
        node in document(), at: Index, field: Index, other: Index, how in 0..3_u8,
    ) {
        let mut node = node;
        let mut is_same = false;
        node.change(at, Node::is_list, |list| {
            let list = list.elements();
            let [field, other] = [field, other].map(|index| index.index(list.len()));
            match how {
                0 => list.swap(field, other),
                1 => list.insert(other, list[field].clone()),
                _ => drop(list.remove(field)),
            }
            is_same = how == 0 && field == other;
        });
        prop_assume!(!is_same);
        prop_assert!(refused(&node), "{}", node.text(""));
    }

    #[test]
    fn a_foreign_type_is_refused(
        node in document(), at: Index, field: Index,
        name in "uint|uint128|uint257|int256|address payable|bytes|bytes31|bool|Order\\[\\]|Person|string\\(\\)|",
    ) {
        let mut node = node;
        node.change(at, Node::is_list, |list| {
            let list = list.elements();
            let at = field.index(list.len());
            for (member, value) in list[at].members() {
                if member == "type" {
                    *value = Node::Scalar(format!("\"{name}\""));
                }
            }
        });
        prop_assert!(refused(&node), "{}", node.text(""));
    }

    #[test]
    fn a_value_of_another_kind_or_a_level_deeper_is_refused(
        node in document(), at: Index,
        other in "null|true|\\{\\}|\\[\\]|1\\.5|-1|1e3|\"\"|01|\"01\"|\"0x\"|\" 1\"|\"1 \"|\"0X1\"", deeper: bool,
    ) {
        let mut node = node;
        node.change(at, |_| true, |node| {
            let inner = node.clone();
            *node = if deeper { Node::List(vec![inner]) } else { Node::Scalar(other) };
        });
        prop_assert!(refused(&node), "{}", node.text(""));
    }

    #[test]
    fn a_cut_text_is_refused(node in document(), at: Index) {
        let text = node.text("");
        prop_assert!(decode(&text.as_bytes()[..at.index(text.len())]).is_err());
    }
}
