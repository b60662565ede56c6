//! The families by the type strings that Uniswap's packages ship, and random documents of them.

use alloy_primitives::{Address, I256, U256};

use crate::document::{Dice, Node};

const TOKEN_PERMISSIONS: &str = "TokenPermissions(address token,uint256 amount)";
const ORDER_INFO: &str = "OrderInfo(address reactor,address swapper,uint256 nonce,uint256 deadline,\
    address additionalValidationContract,bytes additionalValidationData)";
const DUTCH_OUTPUT: &str =
    "DutchOutput(address token,uint256 startAmount,uint256 endAmount,address recipient)";
const PERMIT_DETAILS: &str = "PermitDetails(address token,uint160 amount,uint48 expiration,uint48 nonce)";

/// Each family: its struct types, the primary one first.
pub(crate) const FAMILIES: &[&[&str]] = &[
    &[
        "PermitWitnessTransferFrom(TokenPermissions permitted,address spender,uint256 nonce,uint256 deadline,\
         ExclusiveDutchOrder witness)",
        "ExclusiveDutchOrder(OrderInfo info,uint256 decayStartTime,uint256 decayEndTime,address exclusiveFiller,\
         uint256 exclusivityOverrideBps,address inputToken,uint256 inputStartAmount,uint256 inputEndAmount,\
         DutchOutput[] outputs)",
        DUTCH_OUTPUT,
        ORDER_INFO,
        TOKEN_PERMISSIONS,
    ],
    &[
        "PermitWitnessTransferFrom(TokenPermissions permitted,address spender,uint256 nonce,uint256 deadline,\
         V2DutchOrder witness)",
        "V2DutchOrder(OrderInfo info,address cosigner,address baseInputToken,uint256 baseInputStartAmount,\
         uint256 baseInputEndAmount,DutchOutput[] baseOutputs)",
        DUTCH_OUTPUT,
        ORDER_INFO,
        TOKEN_PERMISSIONS,
    ],
    &[
        "PermitWitnessTransferFrom(TokenPermissions permitted,address spender,uint256 nonce,uint256 deadline,\
         V3DutchOrder witness)",
        "NonlinearDutchDecay(uint256 relativeBlocks,int256[] relativeAmounts)",
        ORDER_INFO,
        TOKEN_PERMISSIONS,
        "V3DutchInput(address token,uint256 startAmount,NonlinearDutchDecay curve,uint256 maxAmount,\
         uint256 adjustmentPerGweiBaseFee)",
        "V3DutchOrder(OrderInfo info,address cosigner,uint256 startingBaseFee,V3DutchInput baseInput,\
         V3DutchOutput[] baseOutputs)",
        "V3DutchOutput(address token,uint256 startAmount,NonlinearDutchDecay curve,address recipient,\
         uint256 minAmount,uint256 adjustmentPerGweiBaseFee)",
    ],
    &[
        "PermitWitnessTransferFrom(TokenPermissions permitted,address spender,uint256 nonce,uint256 deadline,\
         PriorityOrder witness)",
        ORDER_INFO,
        "PriorityInput(address token,uint256 amount,uint256 mpsPerPriorityFeeWei)",
        "PriorityOrder(OrderInfo info,address cosigner,uint256 auctionStartBlock,uint256 baselinePriorityFeeWei,\
         PriorityInput input,PriorityOutput[] outputs)",
        "PriorityOutput(address token,uint256 amount,uint256 mpsPerPriorityFeeWei,address recipient)",
        TOKEN_PERMISSIONS,
    ],
    &[
        "PermitBatchWitnessTransferFrom(TokenPermissions[] permitted,address spender,uint256 nonce,\
         uint256 deadline,RelayOrder witness)",
        "FeeEscalator(address token,uint256 startAmount,uint256 endAmount,uint256 startTime,uint256 endTime)",
        "Input(address token,uint256 amount,address recipient)",
        "RelayOrder(RelayOrderInfo info,Input input,FeeEscalator fee,bytes universalRouterCalldata)",
        "RelayOrderInfo(address reactor,address swapper,uint256 nonce,uint256 deadline)",
        TOKEN_PERMISSIONS,
    ],
    &["PermitSingle(PermitDetails details,address spender,uint256 sigDeadline)", PERMIT_DETAILS],
    &["PermitBatch(PermitDetails[] details,address spender,uint256 sigDeadline)", PERMIT_DETAILS],
    &[
        "PermitTransferFrom(TokenPermissions permitted,address spender,uint256 nonce,uint256 deadline)",
        TOKEN_PERMISSIONS,
    ],
    &[
        "PermitBatchTransferFrom(TokenPermissions[] permitted,address spender,uint256 nonce,uint256 deadline)",
        TOKEN_PERMISSIONS,
    ],
];

const DOMAIN: &str = "EIP712Domain(string name,uint256 chainId,address verifyingContract)";

/// A struct type: name, and (type, name) of each field.
struct Struct {
    name: &'static str,
    fields: Vec<(&'static str, &'static str)>,
}

fn parse(text: &'static str) -> Struct {
    let (name, fields) = text.strip_suffix(')').unwrap().split_once('(').unwrap();
    let fields = fields.split(',').map(|field| field.trim_start().split_once(' ').unwrap()).collect();
    Struct { name, fields }
}

/// A document of `family` with random values everywhere.
pub(crate) fn random_document(family: &[&'static str], dice: &mut Dice) -> Node {
    let structs: Vec<Struct> = family.iter().map(|text| parse(text)).collect();
    let declared = structs.iter().chain([&parse(DOMAIN)]).map(declaration).collect();
    let chain_id = match dice.below(4) {
        0 => 1,
        1 => 42161,
        _ => dice.next() >> dice.below(64),
    };
    let contract = match dice.below(2) {
        0 => "000000000022D473030F116dDEE9F6B43aC78BA3".parse().unwrap(),
        _ => random_address(dice),
    };
    let domain = vec![
        ("name".into(), Node::Text("Permit2".into())),
        ("chainId".into(), Node::Uint(U256::from(chain_id.max(1)))),
        ("verifyingContract".into(), Node::Address(contract)),
    ];
    let primary = structs.first().unwrap();
    Node::Object(vec![
        ("types".into(), Node::Object(declared)),
        ("primaryType".into(), Node::Text(primary.name.into())),
        ("domain".into(), Node::Object(domain)),
        ("message".into(), random_struct(primary, &structs, dice)),
    ])
}

fn declaration(declared: &Struct) -> (String, Node) {
    let field = |(field_type, name): &(&str, &str)| {
        Node::Object(vec![
            ("name".into(), Node::Text((*name).into())),
            ("type".into(), Node::Text((*field_type).into())),
        ])
    };
    (declared.name.into(), Node::List(declared.fields.iter().map(field).collect()))
}

fn random_struct(of: &Struct, structs: &[Struct], dice: &mut Dice) -> Node {
    let member = |(field_type, name): &(&'static str, &str)| {
        ((*name).to_owned(), random_value(field_type, structs, dice))
    };
    Node::Object(of.fields.iter().map(member).collect())
}

fn random_value(field_type: &'static str, structs: &[Struct], dice: &mut Dice) -> Node {
    if let Some(element) = field_type.strip_suffix("[]") {
        let len_max = match element {
            "TokenPermissions" | "PermitDetails" => 8,
            _ => 16,
        };
        let len = if dice.below(3) == 0 { len_max } else { dice.below(4) };
        return Node::List((0..len).map(|_| random_value(element, structs, dice)).collect());
    }
    match field_type {
        "address" => Node::Address(random_address(dice)),
        "uint256" => Node::Uint(random_uint(256, dice)),
        "uint160" => Node::Uint(random_uint(160, dice)),
        "uint48" => Node::Uint(random_uint(48, dice)),
        "int256" => {
            let value = I256::from_raw(random_uint(256, dice));
            Node::Int(if dice.below(8) == 0 { I256::MIN } else { value })
        }
        "bytes" => {
            let len = dice.below(3) * dice.below(200);
            Node::Bytes((0..len).map(|_| dice.next().to_le_bytes()[0]).collect())
        }
        name => random_struct(structs.iter().find(|known| known.name == name).unwrap(), structs, dice),
    }
}

/// Integers of every width.
fn random_uint(bits: usize, dice: &mut Dice) -> U256 {
    let value = U256::from_limbs([dice.next(), dice.next(), dice.next(), dice.next()]);
    match dice.below(8) {
        0 => U256::ZERO,
        1 => U256::MAX >> (256 - bits),
        _ => {
            let width = usize::try_from(dice.below(bits as u64)).unwrap() + 1;
            value >> (256 - width)
        }
    }
}

fn random_address(dice: &mut Dice) -> Address {
    if dice.below(6) == 0 {
        return Address::ZERO;
    }
    let mut bytes = [0; 20];
    bytes.fill_with(|| dice.next().to_le_bytes()[0]);
    bytes.into()
}
