// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

interface IERC20 {
    function transfer(address to, uint256 value) external returns (bool);
    function transferFrom(address from, address to, uint256 value) external returns (bool);
}

interface IERC777 {
    function operatorSend(address from, address to, uint256 amount, bytes calldata data, bytes calldata told) external;
    function operatorBurn(address from, uint256 amount, bytes calldata data, bytes calldata told) external;
}

interface IPermit2 {
    struct Details {
        address from;
        address to;
        uint160 amount;
        address token;
    }

    function transferFrom(Details[] calldata details) external;
}

contract ByFallback {
    fallback() external {
        (address token, address from, uint256 value) = abi.decode(msg.data, (address, address, uint256));
        IERC20(token).transferFrom(from, msg.sender, value);
    }
}

/// As those who save gas do.
contract ByPackedFallback {
    fallback() external {
        assembly {
            mstore(0, 0x23b872dd00000000000000000000000000000000000000000000000000000000)
            mstore(4, shr(96, calldataload(20)))
            mstore(36, caller())
            mstore(68, calldataload(40))
            if iszero(call(gas(), shr(96, calldataload(0)), 0, 0, 100, 0, 32)) { revert(0, 0) }
        }
    }
}

/// One byte tells what to do.
contract ByOneByte {
    function about() external pure returns (uint256) {
        return 1;
    }

    fallback() external {
        uint8 what = uint8(msg.data[0]);
        if (what == 7) {
            address token = address(bytes20(msg.data[1:21]));
            address from = address(bytes20(msg.data[21:41]));
            IERC20(token).transferFrom(from, msg.sender, uint256(bytes32(msg.data[41:73])));
        } else if (what == 9) {
            selfdestruct(payable(msg.sender));
        }
    }
}

/// The selector is hidden behind a key.
contract ByMaskedSelector {
    fallback() external {
        if (uint32(msg.sig) ^ 0xdeadbeef == 0x01020304) {
            (address token, address from, uint256 value) = abi.decode(msg.data[4:], (address, address, uint256));
            IERC20(token).transferFrom(from, msg.sender, value);
        }
    }
}

/// Selects by a hash of the selector.
contract ByHashedSelector {
    fallback() external {
        if (keccak256(abi.encode(msg.sig)) == 0x1111111111111111111111111111111111111111111111111111111111111111) {
            (address token, address from, uint256 value) = abi.decode(msg.data[4:], (address, address, uint256));
            IERC20(token).transferFrom(from, msg.sender, value);
        }
    }
}

contract BySend {
    function take(IERC777 token, address from, uint256 amount) external {
        token.operatorSend(from, msg.sender, amount, "", "");
    }
}

/// A token that tells of a transfer, with whatever its sender says, is told to move what somebody else has.
contract ByItsToken {
    function onTransferReceived(address, address from, uint256 amount, bytes calldata data) external {
        IERC20(msg.sender).transferFrom(abi.decode(data, (address)), from, amount);
    }
}

contract ByWhatItIsTold {
    function onTransferReceived(address, address, uint256, bytes calldata data) external {
        (bool ok,) = msg.sender.call(data);
        require(ok);
    }
}

/// Somebody is named first, and taken from later.
contract BySendOfTheStored {
    address private from;
    IERC777 private token;

    function name(IERC777 token_, address from_) external {
        token = token_;
        from = from_;
    }

    function take() external {
        token.operatorSend(from, msg.sender, 100 ether, "", "");
    }
}

contract ByStored {
    address private from;
    IERC20 private token;

    function name(IERC20 token_, address from_) external {
        token = token_;
        from = from_;
    }

    function take() external {
        token.transferFrom(from, msg.sender, 100 ether);
    }
}

contract ByMany {
    function take(IERC20 token, address[] calldata from) external {
        for (uint256 i; i < from.length; i++) token.transferFrom(from[i], msg.sender, 1 ether);
    }
}

contract ByPermit2 {
    IPermit2 private constant permit2 = IPermit2(0x000000000022D473030F116dDEE9F6B43aC78BA3);

    function take(IPermit2.Details[] calldata details) external {
        permit2.transferFrom(details);
    }
}

contract ByPermit2OfTheStored {
    IPermit2 private constant permit2 = IPermit2(0x000000000022D473030F116dDEE9F6B43aC78BA3);
    IPermit2.Details[] private stored;

    function name(IPermit2.Details calldata details) external {
        stored.push(details);
    }

    function take() external {
        permit2.transferFrom(stored);
    }
}

/// What is called is kept first.
contract ByKeptCall {
    address private to;
    bytes private data;

    function keep(address to_, bytes calldata data_) external {
        (to, data) = (to_, data_);
    }

    function go() external {
        (bool ok,) = to.call(data);
        require(ok);
    }
}

/// Asks that it calls itself, which everybody can have it do.
contract BySelf {
    function take(IERC20 token, address from, uint256 value) external {
        require(msg.sender == address(this));
        token.transferFrom(from, tx.origin, value);
    }

    function batch(bytes[] calldata calls) external {
        for (uint256 i; i < calls.length; i++) {
            (bool ok,) = address(this).call(calls[i]);
            require(ok);
        }
    }
}

contract ByOrigin {
    function take(IERC20 token, address to, uint256 value) external {
        token.transferFrom(tx.origin, to, value);
    }
}

/// A list of those who may, in which everybody may enter himself once.
contract ByMembers {
    mapping(address => bool) private members;

    function join() external {
        members[msg.sender] = true;
    }

    function take(IERC20 token, address from, uint256 value) external {
        require(members[msg.sender]);
        token.transferFrom(from, msg.sender, value);
    }
}

/// The owner is gone, and a second way is not.
contract ByTwoOwners {
    address private owner;
    address private keeper = msg.sender;

    function take(IERC20 token, address from, uint256 value) external {
        require(msg.sender == owner || msg.sender == keeper);
        token.transferFrom(from, msg.sender, value);
    }
}

/// The owner has renounced, and a password names him again.
contract ByRegained {
    address private owner;

    function regain(uint256 word) external {
        require(keccak256(abi.encode(word)) == 0x1111111111111111111111111111111111111111111111111111111111111111);
        owner = msg.sender;
    }

    function take(IERC20 token, address from, uint256 value) external {
        require(msg.sender == owner);
        token.transferFrom(from, msg.sender, value);
    }
}

/// The owner has renounced, and an admin names him again.
contract ByReappointed {
    address private owner;
    address private admin;

    function appoint(address owner_) external {
        require(msg.sender == admin);
        owner = owner_;
    }

    function take(IERC20 token, address from, uint256 value) external {
        require(msg.sender == owner);
        token.transferFrom(from, msg.sender, value);
    }
}

/// What its caller has, whatever he calls by.
contract ForItsCaller {
    IERC20 private immutable token;

    constructor(IERC20 token_) {
        token = token_;
    }

    function put(uint256 value) external {
        token.transferFrom(msg.sender, address(this), value);
    }

    fallback() external {
        token.transferFrom(msg.sender, address(this), abi.decode(msg.data, (uint256)));
    }
}

contract SendsForItsCaller {
    IERC777 private immutable token;

    constructor(IERC777 token_) {
        token = token_;
    }

    function put(uint256 value) external {
        token.operatorSend(msg.sender, address(this), value, "", "");
    }
}

/// Something else is kept beside an owner who is gone.
contract ByNobodyOnce {
    address private owner;
    bool private entered;

    function ping() external {
        require(!entered);
        entered = true;
        entered = false;
    }

    function mark(bool is_) external {
        entered = is_;
    }

    function take(IERC20 token, address from, uint256 value) external {
        require(msg.sender == owner);
        token.transferFrom(from, msg.sender, value);
    }
}

/// Whom a forwarder names, or whoever calls.
contract ForWhomAForwarderNames {
    address private immutable forwarder;

    constructor(address forwarder_) {
        forwarder = forwarder_;
    }

    function sender() private view returns (address) {
        if (msg.sender == forwarder && msg.data.length >= 20) return address(bytes20(msg.data[msg.data.length - 20:]));
        return msg.sender;
    }

    function put(IERC20 token, uint256 value) external {
        token.transferFrom(sender(), address(this), value);
    }
}

/// As disperse.app has it.
contract Disperses {
    function disperseToken(IERC20 token, address[] calldata to, uint256[] calldata values) external {
        uint256 total;
        for (uint256 i; i < to.length; i++) total += values[i];
        require(token.transferFrom(msg.sender, address(this), total));
        for (uint256 i; i < to.length; i++) require(token.transfer(to[i], values[i]));
    }

    function disperseTokenSimple(IERC20 token, address[] calldata to, uint256[] calldata values) external {
        for (uint256 i; i < to.length; i++) require(token.transferFrom(msg.sender, to[i], values[i]));
    }
}

/// What somebody agreed to pay, when it is due.
contract Collects {
    mapping(address => uint256) private dues;
    IERC20 private immutable token;

    constructor(IERC20 token_) {
        token = token_;
    }

    function agree(uint256 due) external {
        dues[msg.sender] = due;
    }

    function collect(address from) external {
        uint256 due = dues[from];
        require(due > 0);
        dues[from] = 0;
        token.transferFrom(from, address(this), due);
    }
}

/// The vault of somebody is filled with what is his.
contract Locks {
    mapping(address => uint256) private locked;
    IERC20 private immutable token;

    constructor(IERC20 token_) {
        token = token_;
    }

    function depositFor(address owner, uint256 value) external {
        locked[owner] += value;
        token.transferFrom(owner, address(this), value);
    }

    function withdraw(uint256 value) external {
        locked[msg.sender] -= value;
        token.transfer(msg.sender, value);
    }
}
